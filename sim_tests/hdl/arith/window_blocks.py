"""Requantisers and windows as blocks, and the one build that their tests share."""

from __future__ import annotations

from functools import cache

from tilewright.hdl.arith.requantise import Requantise
from tilewright.hdl.numeric import IntFormat
from tilewright.sim_tests.drivers.side_by_side import Bench


def _requantise(acc: int, out: str, rounding: str, pipeline: int) -> Requantise:
    return Requantise(acc, IntFormat.parse(out), rounding, pipeline)  # type: ignore[arg-type]


REQUANTISERS = {
    "even_int8": _requantise(33, "int8", "half_even", 3),
    "even_uint8": _requantise(32, "uint8", "half_even", 0),
    "even_int16": _requantise(33, "int16", "half_even", 5),
    "even_uint16": _requantise(2, "uint16", "half_even", 4),
    "away_int8": _requantise(33, "int8", "half_away", 1),
    "away_uint4": _requantise(19, "uint4", "half_away", 2),
    "twice_int8": _requantise(33, "int8", "double_rounding", 2),
    "twice_int16": _requantise(33, "int16", "double_rounding", 3),
    "twice_uint1": _requantise(24, "uint1", "double_rounding", 0),
}


@cache
def bench() -> Bench:
    """The build."""
    return Bench("window_bench", REQUANTISERS)
