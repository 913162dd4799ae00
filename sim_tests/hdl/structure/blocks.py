"""Structures under test, and the same run in Amaranth's own simulator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from amaranth.hdl import ClockDomain, Module, Value
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from tilewright.hdl.memory import Ram
from tilewright.hdl.memory.ram_skew import RamSkew
from tilewright.hdl.structure import Block, Delay, Repeat, Skew, Taps


class Link(Block):
    """One link of a chain: passes ``x`` on in the next cycle, adds its lane ``y`` and what all links share."""

    def __init__(self) -> None:
        members = {"x_in": In(4), "y": In(5), "common": In(3), "x_out": Out(4), "s": Out(6), "flag_in": In(1)}
        super().__init__("link", members | {"flag_out": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.d.sync += [self.x_out.eq(self.x_in), self.flag_out.eq(~self.flag_in)]
        m.d.comb += self.s.eq(self.x_in + self.y + self.common)
        return m


def chain(count: int, *, drop: tuple[str, ...] = ()) -> Repeat:
    """``count`` links."""
    name = f"chain_{count}{'_open' if drop else ''}"
    ends = {"x_in": "x_out", "flag_in": "flag_out"}
    return Repeat(name, Link(), count, label="link", chain=ends, shared=("common",), drop=drop)


#: A fresh block each time: a simulator wants its own.
STRUCTURES: dict[str, Callable[[], Block]] = {
    "chain1": lambda: chain(1),
    "chain5": lambda: chain(5),
    "open_chain": lambda: chain(3, drop=("flag_out",)),
    "rams": lambda: Repeat("rams_3", Ram(4, 5), 3, label="bank", chain={}),
    "skew": lambda: Skew(5, 3),
    "skew_reset": lambda: Skew(4, 1, reset=True),
    "deskew": lambda: Skew(5, 3, reverse=True),
    "deskew_reset": lambda: Skew(3, 2, reverse=True, reset=True),
    "skew_rams": lambda: RamSkew(4, 5, step=4, memories=2),
    "deskew_rams": lambda: RamSkew(5, 3, reverse=True, memories=3),
    "skew_one": lambda: Skew(1, 4),
    "delay": lambda: Delay(6, 4),
    "delay_reset": lambda: Delay(6, 2, reset=True),
    "wire": lambda: Delay(6, 0),
    "taps": lambda: Taps(5, 3),
    "tap": lambda: Taps(1, 3),
}


def simulate(block: Block, inputs: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    """What Amaranth's simulator says of ``block``: each output in each cycle, before the clock edge."""
    outputs = [name for name, member in block.signature.members.items() if member.flow is Out]
    seen: dict[str, list[int]] = {name: [] for name in outputs}
    ports = {name: Value.cast(getattr(block, name)) for name in block.signature.members}

    async def bench(context: Any) -> None:
        for cycle in range(max(len(values) for values in inputs.values())):
            for name, values in inputs.items():
                context.set(ports[name], values[cycle] if cycle < len(values) else 0)
            for name in outputs:
                seen[name].append(context.get(ports[name]) & ((1 << len(ports[name])) - 1))
            await context.tick()

    # Blocks without registers have no clock domain of their own.
    holder = Module()
    holder.submodules.block = block
    holder.domains.sync = ClockDomain()
    simulator = Simulator(holder)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen
