"""Signals, turned into something a loop can wait for."""

import select
import signal
import socket
from types import FrameType

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Stopped(BaseException):
    """Raised out of the start when it is told to stop; not an Exception, so nothing mistakes it for one."""


class Interrupts:
    """How often we were told to stop, and a wait that ends early when told, or when a child ends."""

    def __init__(self) -> None:
        self.count = 0
        # While starting, a signal must end whatever is being waited for; later it is only counted.
        self.is_starting = True
        self._read, self._write = socket.socketpair()
        self._read.setblocking(False)
        self._write.setblocking(False)
        signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        for number in STOPPING:
            signal.signal(number, self._told)
        # The default would not wake the loop.
        signal.signal(signal.SIGCHLD, lambda number, frame: None)

    def _told(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.is_starting:
            self.is_starting = False
            raise Stopped

    def wait(self, seconds: float) -> None:
        ready, _, _ = select.select([self._read], [], [], max(0.0, seconds))
        if ready:
            self._read.recv(4096)
