"""Text as PostgreSQL and UTF-8 can hold it."""


def storable(text: str) -> tuple[str, int]:
    """``text`` without what cannot be stored, and how many characters were removed.

    NUL is removed; half a surrogate pair (an emoji cut by a broken keyboard) becomes U+FFFD.
    """
    removed = text.count("\x00")
    return text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace"), removed


class Pieces:
    """Text that arrives in pieces, made storable; a surrogate pair cut between two of them stays whole."""

    def __init__(self) -> None:
        self._half = ""

    def add(self, piece: str) -> str:
        piece, self._half = self._half + piece, ""
        if "\ud800" <= piece[-1:] <= "\udbff":
            piece, self._half = piece[:-1], piece[-1]
        return storable(piece)[0]
