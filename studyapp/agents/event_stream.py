"""Server-sent events as OpenAI-compatible servers write them: one JSON text per event."""

from collections.abc import AsyncIterator

# Longer than any sensible event; beyond it a server is taken to send something else altogether.
LONGEST_LINE = 4 * 1024 * 1024


class NotAnEventStream(Exception):
    """The bytes are not lines of an event stream."""


async def data_of(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The ``data`` of each event, in order, however the bytes were cut on their way.

    Lines are decoded only when whole, so a character cut in two survives. Comments and other fields are
    skipped; an event whose data has several lines has them joined by newlines, as the standard says.
    """
    rest = b""
    data: list[str] = []
    async for chunk in chunks:
        rest += chunk
        *lines, rest = rest.split(b"\n")
        if len(rest) > LONGEST_LINE:
            raise NotAnEventStream("a line did not end")
        for line in lines:
            try:
                text = line.removesuffix(b"\r").decode()
            except UnicodeDecodeError:
                raise NotAnEventStream("a line is not UTF-8") from None
            if not text and data:
                yield "\n".join(data)
                data = []
            elif text.startswith("data:"):
                data.append(text[5:].removeprefix(" "))
    # What follows the last blank line was cut off and is not an event.
