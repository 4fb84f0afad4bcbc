"""The one way the launcher says no."""


class Refusal(Exception):
    """A start that cannot go on. The message is one line: the thing, the place and the way out."""
