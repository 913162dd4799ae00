"""The bus interfaces that the ports of a module make up, by the names that AXI gives them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tilewright.fpga.export.product import Port

_BUS = re.compile(r"([sm]_axi(?:_\d+)?)_(?:aw|ar|w|r|b)[a-z]+|([sm]_axis_\w+)_t[a-z]+")


def buses(ports: Iterable[Port]) -> list[str]:
    """Their names, as ``s_axi``, in the order of the ports; clock, reset and interrupt are of none."""
    found = (_BUS.fullmatch(port.name) for port in ports)
    return list(dict.fromkeys(match[1] or match[2] for match in found if match))
