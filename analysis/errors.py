"""What can be wrong with data or a request: each kind has a name, a place and a way out."""


class AnalysisError(Exception):
    """Base of every complaint an analyst can act on; commands print it and end with 1."""


class DamagedDataSet(AnalysisError):
    """A folder that is no data set, or whose files differ from its manifest."""


class MixedKinds(AnalysisError):
    """Live, pilot, preview or simulated sessions in one data set, without leave to mix them."""


class UnknownName(AnalysisError):
    """A scale, item or score that the codebook does not hold."""


class TooFewData(AnalysisError):
    """Too few rows, groups or items for what was asked."""


class UnusableColumn(AnalysisError):
    """A column that no covariance can be made of: constant, infinite, duplicate or not numeric."""


class NotPositiveDefinite(AnalysisError):
    """A correlation matrix with a zero or negative eigenvalue."""
