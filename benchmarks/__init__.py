"""Measurements that take longer than a test may, one module a topic; run them with ``make bench-...``."""
