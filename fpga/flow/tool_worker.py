"""Calls a function of a tool's package with words, as its command would; `fpga.flow.tool` starts it."""

from __future__ import annotations

import importlib
import inspect
import sys


def main() -> None:
    """Words: module, function, and those for the function, which gives the exit code."""
    module, function, *words = sys.argv[1:]
    call = getattr(importlib.import_module(module), function)
    sys.argv = [function, *words]
    sys.exit(call(words) if inspect.signature(call).parameters else call())


if __name__ == "__main__":
    main()
