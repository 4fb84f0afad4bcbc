"""Confirmatory factor analysis: maximum likelihood and its robust relatives, in one engine.

::

    from analysis.cfa.estimate import cfa
    from analysis.loading import load_items

    print(cfa("f =~ q1 + q2 + q3 + q4", load_items("survey.csv")).summary())

This module imports nothing, so that light parts of the package stay light.
"""
