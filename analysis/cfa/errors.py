"""What can be wrong with a factor model or its fit: each kind has a name, a place and a way out."""

from __future__ import annotations

from analysis.errors import AnalysisError


class ModelTextError(AnalysisError):
    """A model text that cannot be read, or names what is not there; points at line and column."""


class UnidentifiedModel(AnalysisError):
    """A model whose parameters the data cannot tell apart."""


class NegativeDegreesOfFreedom(UnidentifiedModel):
    """A model with more parameters than the data have moments."""


class NoConvergence(AnalysisError):
    """An estimator that found no minimum, so that there is no number to give."""


class NotNested(AnalysisError):
    """Two models of which neither is a special case of the other."""


class NotAvailable(AnalysisError):
    """Something that the estimator asked for does not give."""
