"""What can be wrong with data or a request: each kind has a name, a place and a way out."""


class AnalysisError(Exception):
    """Base of every complaint an analyst can act on; commands print it and end with 1."""


class DamagedDataSet(AnalysisError):
    """A folder that is no data set, or whose files differ from its manifest."""


class MixedKinds(AnalysisError):
    """Live, pilot, preview or simulated sessions in one data set, without leave to mix them."""


class UnreadableFile(AnalysisError):
    """A file that is missing, empty, of an unknown kind, or not what its name says."""


class BadScaleDescription(AnalysisError):
    """A scale description that is no YAML, or holds what it may not hold."""


class UnknownName(AnalysisError):
    """A scale, item, score or column that the data do not hold."""


class TooFewData(AnalysisError):
    """Too few rows, groups or items for what was asked."""


class UnusableColumn(AnalysisError):
    """A column that no covariance can be made of; the kinds below say why."""


class TextCell(UnusableColumn):
    """A cell that holds text where a number is due."""


class InfiniteCell(UnusableColumn):
    """An infinite number."""


class EmptyColumn(UnusableColumn):
    """A column without a single answer."""


class ConstantColumn(UnusableColumn):
    """A column in which everybody, or everybody of a condition, answered the same."""


class DuplicateColumns(UnusableColumn):
    """Two columns that hold the same, or the same mirrored."""


class LeftoverCode(UnusableColumn):
    """A code of a missing answer (99, -9) that was left among the answers."""


class TooManyCategories(UnusableColumn):
    """An item of more values than a polychoric correlation is made for."""


class EmptyCategory(UnusableColumn):
    """A category that one group answered and another did not, so that their thresholds cannot be compared."""


class NotPositiveDefinite(AnalysisError):
    """A correlation matrix with a zero or negative eigenvalue."""


class CollinearColumns(NotPositiveDefinite):
    """Columns of which one is a weighted sum of the others."""
