"""Which modules Verilator is to compile once."""

from __future__ import annotations

import re
from collections.abc import Iterable


def rows_apart(top: str, sources: Iterable[str]) -> str:
    """A Verilator configuration: a row of processing elements is compiled once, and not copied for each row.

    Pairs of elements in it are kept apart, too: Verilator 5.048 connects lanes of a pair that it has copied into a row
    that it keeps to wrong bits.
    """
    found = re.findall(rf"^module ({re.escape(top)}_(?:row|pair)_\w+)", "\n".join(sources), re.M)
    return "".join(f'no_inline -module "{module}"\n' for module in found)
