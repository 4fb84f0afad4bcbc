"""Reading a reply to its end."""

from typing import NamedTuple

from studyapp.agents.protocol import Delta, Finished, Provider, ReplyRequest, Turn


class Reply(NamedTuple):
    text: str
    deltas: list[str]
    finished: Finished


async def collect(provider: Provider, request: ReplyRequest) -> Reply:
    """The whole reply; fails unless Finished came once and last."""
    deltas: list[str] = []
    finished: Finished | None = None
    async for piece in provider.reply(request):
        assert finished is None, "something came after Finished"
        if isinstance(piece, Delta):
            deltas.append(piece.text)
        else:
            finished = piece
    assert finished is not None, "no Finished came"
    return Reply("".join(deltas), deltas, finished)


def said(*texts: str) -> tuple[Turn, ...]:
    """Turns by participant and agent alternately, so that the last of an odd number is the participant's."""
    return tuple(
        Turn("participant" if number % 2 == 0 else "agent", text) for number, text in enumerate(texts)
    )
