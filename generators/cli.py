"""Entry point of the ``tilewright`` program.

Exit codes: 0 done, 1 a check failed, 2 input refused (one sentence on stderr), 70 a fault of Tilewright itself,
128 + number where a signal ended it: 129 the terminal is gone, 130 an interrupt, 141 nobody reads what is printed,
143 a request to end.
"""

from __future__ import annotations

import signal
import sys
import time
import warnings

_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
_UNWINDING = 2.0  # seconds in which further signals do not disturb the clearing up


class _Ending:
    """What the first signal does: it ends the program, quietly, wherever that is. ``code`` is then its exit code.

    Where the exception is lost, because Python only prints those of destructors and callbacks, it is raised anew.
    """

    def __init__(self) -> None:
        self.code = 0
        self._since = float("-inf")
        self._over = False

    def watch(self) -> None:
        """From now on signals end the program."""
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # else it was started to outlive them
                signal.signal(number, self._arrived)
        signal.signal(signal.SIGALRM, self._arrived_again)
        sys.unraisablehook = self._lost

    def over(self) -> None:
        """From now on no signal changes how the program ends."""
        self._over = True
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    def _arrived(self, number: int, frame: object) -> None:
        if not self._over and time.monotonic() - self._since > _UNWINDING:
            self.code, self._since = self.code or 128 + number, time.monotonic()
            warnings.simplefilter("ignore")  # Amaranth's, of what is not finished
            raise KeyboardInterrupt

    def _arrived_again(self, number: int, frame: object) -> None:
        if not self._over:
            raise KeyboardInterrupt

    def _lost(self, what: sys.UnraisableHookArgs) -> None:
        if not self.code:
            sys.__unraisablehook__(what)
        elif issubclass(what.exc_type, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.01)


def main() -> None:
    """Runs the program with the words it was started with. Nothing is left half-written however it ends."""
    code, ending = 0, _Ending()
    try:
        ending.watch()
        # Here, so that a signal while libraries load is met as well.
        from tilewright.generators.standard_streams import open_standard_streams

        open_standard_streams()
        from tilewright.generators.commands.app import run

        code = run(sys.argv[1:], lambda: ending.code != 0)
        ending.over()
    except BaseException as error:
        ending.over()
        if not ending.code and not isinstance(error, KeyboardInterrupt):
            raise
        code = 130
    sys.exit(ending.code or code)
