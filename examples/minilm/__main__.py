"""Five sentences through all six layers on the RTL of an engine: ``python -m minilm [int8] [bf16]``, in examples/."""

from __future__ import annotations

import sys
import time

from minilm.download import NoModel
from minilm.run import ENGINES, SENTENCES, run
from minilm.tables import show_study


def main(arguments: list[str]) -> int:
    """Runs the engines that are named, all by default; 1 where something is not as it must be."""
    unknown = [name for name in arguments if name not in ENGINES]
    if unknown:
        print(f"error: engine must be one of {', '.join(ENGINES)}, got {unknown[0]!r}", file=sys.stderr)
        return 2
    good = True
    for engine in arguments or ENGINES:
        begun = time.monotonic()
        try:
            found = run(engine)
        except NoModel as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        good &= show_study(engine, found, SENTENCES, time.monotonic() - begun)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
