"""The single blocks of the core that are tested."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory import Geometry
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.structure import Block
from tilewright.hdl.systolic.accumulator import AccumulatorLane, StartLane
from tilewright.hdl.systolic.cursor import Cursor, Path
from tilewright.hdl.systolic.mask import EdgeMask
from tilewright.hdl.systolic.nest import Nest
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.paths import held_a, held_b, possible, streamed_a, streamed_b, words_of_c
from tilewright.hdl.systolic.product import Product, ceil_div

DIVISORS = (1, 2, 3, 5, 6, 7, 12, 64, 100, 127, 255, 256)


class Quotients(Block):
    """``ceil_div`` by every one of `DIVISORS`."""

    def __init__(self) -> None:
        super().__init__("quotients", {"value": In(16)} | {f"by_{d}": Out(17) for d in DIVISORS})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        for divisor in DIVISORS:
            m.d.comb += getattr(self, f"by_{divisor}").eq(ceil_div(m, self.value, divisor, f"by_{divisor}"))
        return m


def core(rows: int, cols: int, dataflow: Any, vector: int = 1) -> CoreParameters:
    """A core of which only the shape matters."""
    int8 = IntFormat(8)
    return CoreParameters(rows, cols, dataflow, int8, int8, IntFormat(32), "wrap", 1, vector, 900, 900, 900)


# Taller than it is wide, and the other way round; a memory of either kind.
CORES = {"tall": core(7, 3, "any"), "broad": core(3, 6, "any"), "is": core(9, 2, "is"), "ws": core(5, 3, "ws")}


def _paths(p: CoreParameters) -> dict[str, tuple[Geometry, dict[Dataflow, Path]]]:
    found = {
        "stream_a": (p.a_memory, possible(p, streamed_a(p))),
        "stream_b": (p.b_memory, possible(p, streamed_b(p))),
        "hold_a": (p.a_memory, possible(p, held_a(p))),
        "hold_b": (p.b_memory, possible(p, held_b(p))),
        "c": (p.c_memory, possible(p, words_of_c(p))),
    }
    return {name: (geometry, paths) for name, (geometry, paths) in found.items() if paths}


CURSORS = {
    f"{label}_{name}": Cursor(f"{label}_{name}", geometry, paths, count_panels=name == "c")
    for label, parameters in CORES.items()
    for name, (geometry, paths) in _paths(parameters).items()
}


def blocks() -> dict[str, Block]:
    """All of them, by label."""
    found: dict[str, Block] = {
        "quotients": Quotients(),
        "product": Product(11, 13),
        "nest": Nest(16, 13),
        "mask": EdgeMask(5, 4),
        "mask_one": EdgeMask(6, 1),
        "start": StartLane(12, can_broadcast=True),
        "accumulator": AccumulatorLane(12, 9, can_broadcast=True),
        "accumulator_plain": AccumulatorLane(10, 10, can_broadcast=False),
    }
    return found | CURSORS
