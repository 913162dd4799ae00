"""Runs the Yosys commands that come on standard input, one a line; `generators.emit.yosys` starts it.

A program of its own, because Yosys ends the process that it runs in at the first error. An empty line ends a batch:
its commands are run, and then ``DONE`` and the processor seconds used so far are told on standard output. Nothing else
comes there; errors of Yosys come on standard error.
"""

from __future__ import annotations

import os
import sys
import time

DONE = "\x04"


def main() -> None:
    """Serves batches until standard input ends."""
    from pyosys import libyosys

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what Yosys tells of its progress
    design, batch = libyosys.Design(), list[str]()
    for line in sys.stdin:
        if command := line.rstrip("\n"):
            batch.append(command)
            continue
        for command in batch:
            libyosys.Pass.call(design, command)
        batch.clear()
        print(f"{DONE}{time.process_time()}", file=answers, flush=True)


if __name__ == "__main__":
    main()
