"""The one build that the tests of structures, arithmetic and processing elements share."""

from __future__ import annotations

from functools import cache

from tilewright.sim_tests.drivers.side_by_side import Bench
from tilewright.sim_tests.hdl.arith.blocks import ACCUMULATORS, DOTS
from tilewright.sim_tests.hdl.pe.elements import ELEMENTS
from tilewright.sim_tests.hdl.structure.blocks import STRUCTURES


@cache
def bench() -> Bench:
    """The build."""
    structures = {label: make() for label, make in STRUCTURES.items()}
    return Bench("datapath_bench", structures | DOTS | ACCUMULATORS | ELEMENTS)
