"""Which cores a link can carry: a beat of each of their streams must fit into a frame."""

from __future__ import annotations

from bisect import bisect
from typing import Any

from amaranth.lib.wiring import In, Out

from tilewright.fpga.tops.linked_core import port_bits
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit.elaborate import core_parameters
from tilewright.hdl.link.frame import MOST_PAYLOAD
from tilewright.hdl.systolic.core import GemmCore
from tilewright.hdl.systolic.pinout import Pinout

MOST_BEAT = MOST_PAYLOAD - 1
"""Bytes of a beat: a READ's reply has whole beats, and a byte that counts."""
_VALUES = {"cols": range(1, 257), "rows": range(1, 257), "vector": (1, 2, 4, 8, 16)}


def widest_beat(config: SystolicConfig) -> tuple[int, str]:
    """Bytes of the widest beat of a core, and its stream."""
    pinout = Pinout(GemmCore(core_parameters(config)))
    return max((-(-bits // 8), name) for flow in (In, Out) for name, bits in port_bits(pinout, flow).items())


def check_beats(config: SystolicConfig) -> None:
    """Raises ConfigError where a beat of the core does not fit into a frame."""
    size, name = widest_beat(config)
    if size <= MOST_BEAT:
        return
    why = f"{name} has beats of {size} bytes, and at most {MOST_BEAT} go into a frame of its link"
    for field in ("cols", "rows", "vector"):
        value, nearest = getattr(config, field), _largest(config, field)
        if nearest:
            raise ConfigError(
                f"{field} must be smaller for a board, got {value}: {why}; nearest legal value is {nearest}"
            )
    both = f"got {config.rows} and {config.cols}"
    raise ConfigError(f"rows and cols must be smaller for a board, {both}: {why}; legal are for example 16 and 16")


def _largest(config: SystolicConfig, field: str) -> int | None:
    """The largest value of ``field`` with which all beats fit, all else left alone; None: there is none."""

    def beyond(value: int) -> bool:
        return _size(config.model_dump() | {field: value}) > MOST_BEAT

    values = [value for value in _VALUES[field] if value < getattr(config, field)]
    place = bisect(values, False, key=beyond)  # beats grow with it
    return values[place - 1] if place and _size(config.model_dump() | {field: values[place - 1]}) else None


def _size(fields: dict[str, Any]) -> int:
    """Bytes of the widest beat; 0 where there is no such core."""
    try:
        return widest_beat(systolic_config(fields))[0]
    except ConfigError:
        return 0
