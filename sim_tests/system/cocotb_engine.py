"""An engine between the AXI models of cocotbext-axi, which are not ours; runs inside a simulator.

The design is the one of the gate that ``ENGINE_DESIGN`` names, behind `with_ids`.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiRam

from tilewright.generators.emit.engine import constants
from tilewright.sim_tests.system.cocotb_host import Host
from tilewright.sim_tests.system.engine_designs import gate_engines
from tilewright.sim_tests.system.engine_probe import MEMORY_BYTES, PROGRAM, Known, known

DESIGN = gate_engines()[os.environ.get("ENGINE_DESIGN", "ws_4x4")]


def pauses(probability: float) -> Iterator[bool]:
    """Pauses of a channel, for ever."""
    while True:
        yield random.random() < probability


class Board(Host):
    """The engine with a memory and a host."""

    def __init__(self, dut: Any, probability: float) -> None:
        super().__init__(dut)
        reset = self.reset_signals
        self.memory = AxiRam(AxiBus.from_prefix(dut, "m_axi"), *reset, reset_active_level=False, size=MEMORY_BYTES)
        reads, writes = (self.memory.read_if, self.host.read_if), (self.memory.write_if, self.host.write_if)
        channels = [side.ar_channel for side in reads] + [side.r_channel for side in reads]
        channels += [channel for side in writes for channel in (side.aw_channel, side.w_channel, side.b_channel)]
        for channel in channels if probability else ():
            channel.set_pause_generator(pauses(probability))

    async def run(self, job: Known) -> None:
        """Runs a program and compares all of the memory."""
        self.memory.write(0, job.memory.tobytes())
        await self.write("program_low", PROGRAM)
        await self.write("program_count", len(job.instructions))
        await self.write("interrupt_enable", 1)
        await self.write("control", 1)
        await with_timeout(RisingEdge(self.dut.irq), 1, "ms")
        assert await self.read("status") == 2
        await self.write("interrupt", 1)
        assert self.memory.read(0, MEMORY_BYTES) == job.expected.tobytes()


@cocotb.test()
@cocotb.parametrize(probability=[0.0, 0.4])
async def products(dut: Any, probability: float) -> None:
    board = Board(dut, probability)
    await board.reset()
    for name, value in constants(DESIGN.config).items():
        assert await board.read(name) == value
    for seed in (1, 2):
        await board.run(known(DESIGN.config, seed))
