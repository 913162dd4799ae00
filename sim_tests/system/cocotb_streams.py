"""An engine with AXI4-Stream ports between the models of cocotbext-axi, which are not ours; runs inside a simulator."""

from __future__ import annotations

from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamSink, AxiStreamSource

from tilewright.generators.reference.engine_packets import packets
from tilewright.sim_tests.system.cocotb_engine import pauses
from tilewright.sim_tests.system.cocotb_host import Host
from tilewright.sim_tests.system.engine_probe import known
from tilewright.sim_tests.system.stream_engines import stream_engine

CONFIG = stream_engine().config


class Board(Host):
    """The engine with a DMA of somebody else's, and a host."""

    def __init__(self, dut: Any, probability: float) -> None:
        super().__init__(dut)
        reset = self.reset_signals
        bus = AxiStreamBus.from_prefix
        self.program = AxiStreamSource(bus(dut, "s_axis_program"), *reset, reset_active_level=False)
        self.loads = AxiStreamSource(bus(dut, "s_axis_load"), *reset, reset_active_level=False)
        self.stores = AxiStreamSink(bus(dut, "m_axis_store"), *reset, reset_active_level=False)
        for stream in (self.program, self.loads, self.stores) if probability else ():
            stream.set_pause_generator(pauses(probability))


@cocotb.test()
@cocotb.parametrize(probability=[0.0, 0.4])
async def products(dut: Any, probability: float) -> None:
    board = Board(dut, probability)
    await board.reset()
    for seed in (1, 2):
        job = known(CONFIG, seed)
        memory, found = job.memory.copy(), packets(job.program, CONFIG)
        await board.program.send(job.program.tobytes())
        for load in found.loads:
            await board.loads.send(load.read(memory).tobytes())
        await board.write("program_count", len(job.instructions))
        await board.write("interrupt_enable", 1)
        await board.write("control", 1)
        for store in found.stores:
            frame = await with_timeout(board.stores.recv(), 1, "ms")
            store.write(memory, np.frombuffer(bytes(frame.tdata), np.uint8))
        if not int(dut.irq.value):
            await with_timeout(RisingEdge(dut.irq), 1, "ms")
        assert await board.read("status") == 2
        await board.write("interrupt", 1)
        assert np.array_equal(memory, job.expected)
        assert board.stores.empty() and board.loads.idle() and board.program.idle()
