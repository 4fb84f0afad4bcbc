"""A reply under way in this process, as its listeners here see it."""

import asyncio


class LiveTurn:
    """Grows while a reply is generated. A new attempt starts it again under a higher ``number``.

    ``closed`` says that this process has no more to add: the row tells the rest.
    """

    def __init__(self, message_id: int) -> None:
        self.message_id = message_id
        self.number = 0
        self.text = ""
        self.closed = False
        # How many characters other processes (Valkey) and the row have been given.
        self.sent = 0
        self.written = 0
        self._next = asyncio.Event()

    def restart(self, number: int) -> None:
        """A new attempt begins; what an earlier one brought counts no more."""
        self.number, self.text, self.sent, self.written = number, "", 0, 0
        self.tell()

    def append(self, piece: str) -> None:
        """More text; listeners hear of it with the next ``tell``."""
        self.text += piece

    def close(self) -> None:
        """Nothing follows."""
        self.closed = True
        self.tell()

    def tell(self) -> None:
        """Wake all who wait for a change."""
        self._next.set()
        self._next = asyncio.Event()

    async def changed(self, within_s: float) -> None:
        """Wait for the next ``tell``, at most so long."""
        try:
            await asyncio.wait_for(self._next.wait(), within_s)
        except TimeoutError:
            return
