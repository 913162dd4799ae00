"""Which tools build for which family."""

from __future__ import annotations

from tilewright.fpga.boards.board import Family
from tilewright.fpga.flow.ecp5 import Ecp5Flow
from tilewright.fpga.flow.flow import Flow
from tilewright.fpga.flow.gowin import GowinFlow
from tilewright.fpga.flow.ice40 import Ice40Flow

_FLOWS: dict[Family, Flow] = {"ice40": Ice40Flow(), "ecp5": Ecp5Flow(), "gowin": GowinFlow()}


def flow_of(family: Family) -> Flow:
    """The tools of a family."""
    return _FLOWS[family]
