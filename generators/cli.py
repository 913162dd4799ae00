"""Entry point of the ``tilewright`` program.

Exit codes: 0 done, 1 a check failed, 2 input refused (one sentence on stderr), 130 interrupted, 143 terminated.
"""

import signal
import sys


def main() -> None:
    """Runs the program with the words it was started with. Nothing is left half-written however it ends."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        # Here, so that an interrupt while libraries load is met as well.
        from tilewright.generators.commands.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def _terminate(number: int, frame: object) -> None:
    """Unwinds as an interrupt does."""
    raise SystemExit(128 + number)
