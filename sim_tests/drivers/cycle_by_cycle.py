"""A block in Amaranth's own simulator, driven and watched cycle by cycle: for small blocks, without a build."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib.wiring import In
from amaranth.sim import Simulator

from tilewright.hdl.structure import Block

Ports = dict[str, int]
"""Values by port name; of a port inside a signature ``port.member``."""


def ports(block: Block) -> Iterator[tuple[str, bool, Any]]:
    """Name, whether it is an input, and value of every port."""
    for path, member, value in block.signature.flatten(block):
        yield ".".join(map(str, path)), member.flow is In, value


def run(block: Block, step: Callable[[int, Ports], Mapping[str, int] | None], cycles: int = 10_000) -> int:
    """Runs ``block``: in each cycle ``step`` gets its number and the outputs as they are just before the clock edge.

    It returns the inputs from that edge on, those that change; None ends the run. Inputs are 0 at first. Outputs that
    depend on inputs without a register show them one call later, in the same cycle as the block sees them.

    Returns the number of cycles. Raises TimeoutError after ``cycles``.
    """
    top = Module()
    top.submodules.block = block
    inputs = {name: value for name, into, value in ports(block) if into}
    outputs = {name: Value.cast(value) for name, into, value in ports(block) if not into}
    done: list[int] = []

    async def process(context: Any) -> None:
        for cycle in range(cycles):
            changes = step(cycle, {name: context.get(value) for name, value in outputs.items()})
            if changes is None:
                done.append(cycle)
                return
            await context.tick()
            for name, value in changes.items():
                context.set(Value.cast(inputs[name]), value)
        raise TimeoutError(f"{block.name} has not ended in {cycles} cycles")

    simulator = Simulator(top)
    simulator.add_clock(1e-6)
    simulator.add_testbench(process)
    simulator.run()
    return done[0]
