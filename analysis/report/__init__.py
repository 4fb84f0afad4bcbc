"""The report: one self-contained page, its tables as CSV and JSON, its figures as SVG."""
