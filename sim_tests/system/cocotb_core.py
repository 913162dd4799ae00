"""A core driven through its ports, against the interpreter; runs inside a simulator.

The design is the one of the gate that ``CORE_DESIGN`` names; random numbers follow cocotb's seed.
"""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout

from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.records import Command, Start, Transfer
from tilewright.sim_tests.drivers.core_beats import Matrix, matrix_beats
from tilewright.sim_tests.drivers.core_bench import CoreBench
from tilewright.sim_tests.system.data import random_matrix
from tilewright.sim_tests.system.designs import gate_designs

DESIGN = gate_designs()[os.environ.get("CORE_DESIGN", "any_4x4")]


class Pair:
    """The core and the interpreter, which do the same."""

    def __init__(self, dut: Any, idle: float, stall: float) -> None:
        self.bench = CoreBench(dut, DESIGN.parameters, idle, stall)
        self.model = ReferenceCore(DESIGN.config)
        self.rng = np.random.default_rng(random.getrandbits(32))
        Clock(dut.clk, 10, unit="ns").start()

    def matrix(self, port: Port, rows: int, cols: int) -> Matrix:
        return random_matrix(self.rng, self.bench.formats[port], rows, cols)

    async def load(self, port: Port, matrix: Matrix, base: int = 0, region: int = 0) -> None:
        tag = self.bench.load(port, matrix, base, region)
        rows, cols = matrix.shape
        beats = matrix_beats(matrix, self.bench.lanes[port]).values
        want = self.model.load(port, Transfer(base, rows, cols, region), beats)
        assert await self.answer(f"load_{port}_answer") == (want, tag)

    async def command(self, command: Command) -> None:
        tag = self.bench.command(command)
        want = self.model.command(command)
        assert await self.answer("completion") == (want, tag)
        self.model.in_flight.clear()

    async def read(self, transfer: Transfer) -> int:
        """Reads and compares; the number of values that were compared."""
        tag = self.bench.read(transfer)
        want, readout = self.model.read(transfer)
        assert await self.answer("read_c_answer") == (want, tag)
        got, known = self.bench.read_beats(), readout.origin > 0
        assert (got.keep == readout.keep).all()
        assert np.flatnonzero(got.last).tolist() == [len(readout.values) - 1]
        np.testing.assert_array_equal(np.where(known, got.values, 0), np.where(known, readout.values, 0))
        return int(np.count_nonzero(known & readout.keep))

    async def answer(self, stream: str) -> tuple[int, int]:
        return await with_timeout(self.bench.answer(stream), 200, "us")

    def finish(self) -> None:
        assert self.bench.broken_rules() == []


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def products_in_every_dataflow(dut: Any, idle: float, stall: float) -> None:
    pair = Pair(dut, idle, stall)
    await pair.bench.reset()
    for dataflow in DESIGN.parameters.dataflows:
        for start in Start:
            m, n, k = (int(size) for size in pair.rng.integers(1, 12, 3))
            spans = pair.model.command_spans(Command(m, n, k, dataflow, Start.BIAS, bias_base=0))
            bias_base = spans["c"].high
            region = int(pair.rng.integers(2))
            await pair.load("a", pair.matrix("a", m, k))
            await pair.load("b", pair.matrix("b", k, n))
            await pair.load("c", pair.matrix("c", m, n), region=region)
            await pair.load("c", pair.matrix("c", 1, n), bias_base, region)
            await pair.command(Command(m, n, k, int(dataflow), start, bias_base=bias_base, region=region))
            assert await pair.read(Transfer(0, m, n, region)) == m * n
    pair.finish()


@cocotb.test()
async def refusals_change_nothing(dut: Any) -> None:
    pair = Pair(dut, 0.2, 0.2)
    await pair.bench.reset()
    words, lanes = DESIGN.config.scratchpads.c.words, DESIGN.config.scratchpads.c.lanes
    await pair.load("c", pair.matrix("c", words, lanes))
    good = Command(2, 2, 2, int(DESIGN.parameters.dataflows[0]))
    for fault in ({"m": 0}, {"dataflow": 3}, {"start": 3}, {"a_base": 65535}, {"b_base": 65535}, {"c_base": words}):
        await pair.command(Command(**{**good.__dict__, **fault}))
    await pair.load("c", pair.matrix("c", 1, 1), words)
    await pair.read(Transfer(0, words, lanes))
    pair.finish()


@cocotb.test()
@cocotb.parametrize(wait=[0, 7, 40, 90, 200])
async def reset_in_the_middle_of_everything(dut: Any, wait: int) -> None:
    """Loads on all three ports, a read-out and a command are cut off by a reset; then all work as from the start."""
    pair = Pair(dut, 0.3, 0.3)
    bench = pair.bench
    await bench.reset()
    m, n, k = 9, 10, 11
    flow = int(DESIGN.parameters.dataflows[0])
    for port, shape in (("a", (m, k)), ("b", (k, n)), ("c", (m, n))):
        await pair.load(port, pair.matrix(port, *shape))  # type: ignore[arg-type]
    bench.command(Command(m, n, k, flow))
    await bench.commands["command"].transferred(1)
    bench.load("a", pair.matrix("a", m, k), 200)
    bench.load("b", pair.matrix("b", k, n), 200)
    bench.load("c", pair.matrix("c", m, n), region=1)
    bench.read(Transfer(60, 60, n))
    await ClockCycles(dut.clk, 1 + wait)
    assert bench.answers["read_c_answer"].count == 0
    await bench.reset(1 + wait % 3)
    # Nothing is left of what was under way, neither in the core nor in the bench.
    pair.model = ReferenceCore(DESIGN.config)
    for port, shape in (("a", (m, k)), ("b", (k, n)), ("c", (m, n))):
        await pair.load(port, pair.matrix(port, *shape))  # type: ignore[arg-type]
    await pair.command(Command(m, n, k, flow, Start.ACCUMULATE))
    assert await pair.read(Transfer(0, m, n)) == m * n
    pair.finish()
