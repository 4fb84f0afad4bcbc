"""Plainheart's analysis package: a data set goes in, results and a report come out.

It knows nothing of Django and of the platform's database, and is used from a shell
(``python -m analysis report DATA --out OUT``) or from a notebook::

    from analysis.loading import load_items
    from analysis.describe import describe

    describe(load_items("survey.csv", items="q*")).to_frame()

This module imports nothing, so that light parts of the package stay light.
"""
