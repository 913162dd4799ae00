"""Of faults in one cycle the first named counts."""

from __future__ import annotations

from itertools import product
from typing import Any

from amaranth.hdl import Value
from amaranth.sim import Simulator

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.first_fault import FirstFault

NAMES = ("read", "load", "tokens")
FAULTS = {name: int(Cause(6 + at)) | (10 + at) << 8 | (20 + at) << 16 for at, name in enumerate(NAMES)}


def test_every_set_of_faults() -> None:
    block = FirstFault(NAMES)
    seen = []

    async def process(ctx: Any) -> None:
        for name in NAMES:
            ctx.set(Value.cast(getattr(block, name)), FAULTS[name])
        for flags in product((0, 1), repeat=len(NAMES)):
            for name, flag in zip(NAMES, flags, strict=True):
                ctx.set(getattr(block, f"{name}_valid"), flag)
            await ctx.delay(1e-9)
            seen.append((flags, ctx.get(block.valid), ctx.get(Value.cast(block.fault))))

    simulator = Simulator(block)
    simulator.add_testbench(process)
    simulator.run()
    assert len(seen) == 8
    for flags, valid, fault in seen:
        first = next((name for name, flag in zip(NAMES, flags, strict=True) if flag), None)
        assert valid == (first is not None)
        assert fault == (0 if first is None else FAULTS[first])
