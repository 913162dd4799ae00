"""A GEMM core at its AXI4-Stream ports, for cocotb: what a user's own test bench would look like."""

from __future__ import annotations

from typing import Any

import numpy as np
from cocotb.triggers import ClockCycles, RisingEdge

from tilewright.generators.reference.records import Command, Transfer
from tilewright.hdl.numeric import IntFormat, code_format
from tilewright.hdl.systolic.parameters import CoreParameters
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, command_layout
from tilewright.sim_tests.drivers.axi_stream import StreamSink, StreamSource
from tilewright.sim_tests.drivers.core_beats import Matrix, MatrixBeats, fields, matrix_beats, record

BEATS = ("data", "keep", "last")
BASES = ("a_base", "b_base", "c_base", "bias_base")


class CoreBench:
    """Sources and sinks on all streams; ``idle`` (of sources) and ``stall`` (of sinks) are probabilities."""

    def __init__(self, dut: Any, parameters: CoreParameters, idle: float = 0.0, stall: float = 0.0) -> None:
        self.dut, self.parameters = dut, parameters
        self.formats = {
            "a": code_format(parameters.a),
            "b": code_format(parameters.b),
            "c": code_format(parameters.acc),
        }
        a_lanes = parameters.a_memory.lanes * parameters.vector
        self.lanes = {"a": a_lanes, "b": parameters.b_memory.lanes, "c": parameters.c_memory.lanes}
        ports = ("load_a", "load_b", "load_c", "read_c")
        self.commands = {
            name: StreamSource(dut, name, ("data",), idle) for name in ("command", *(f"{p}_command" for p in ports))
        }
        self.answers = {
            name: StreamSink(dut, name, ("data",), stall) for name in ("completion", *(f"{p}_answer" for p in ports))
        }
        self.loads = {name: StreamSource(dut, f"load_{name}_beats", BEATS, idle) for name in "abc"}
        self.reads = StreamSink(dut, "read_c_beats", BEATS, stall)
        self.tag = 0

    async def reset(self, cycles: int = 2) -> None:
        """Resets the core and forgets all that was under way."""
        self.dut.rst.value = 1
        await RisingEdge(self.dut.clk)
        for stream in (*self.commands.values(), *self.loads.values(), *self.answers.values(), self.reads):
            stream.forget()
        await ClockCycles(self.dut.clk, cycles)
        self.dut.rst.value = 0

    def load(self, port: str, matrix: Matrix, base: int = 0, region: int = 0) -> int:
        """Starts loading ``matrix`` into "a", "b" or "c"; returns the tag."""
        fmt = self.formats[port]
        beats = matrix_beats(matrix, self.lanes[port])
        rows, cols = matrix.shape
        self.loads[port].send(
            [
                {"data": joined(values, fmt.width), "keep": joined(keep, 1), "last": int(last)}
                for values, keep, last in zip(*beats, strict=True)
            ]
        )
        return self._transfer(f"load_{port}", Transfer(base, rows, cols, region))

    def read(self, transfer: Transfer) -> int:
        """Starts a read-out of C; returns the tag."""
        return self._transfer("read_c", transfer)

    def command(self, command: Command) -> int:
        """Issues a command; returns the tag."""
        word = record(
            command_layout(self.parameters), m=command.m, n=command.n, k=command.k, dataflow=command.dataflow,
            start=command.start, region=command.region, tag=self._next_tag(),
            **{base: getattr(command, base) for base in BASES},
        )  # fmt: skip
        self.commands["command"].send([{"data": word}])
        return self.tag

    async def answer(self, stream: str) -> tuple[int, int]:
        """The next answer on ``stream``, (status, tag)."""
        sink = self.answers[stream]
        await sink.transferred(1)
        sink.count -= 1
        answer = fields(ANSWER, sink.beats.pop(0)["data"])
        return answer["status"], answer["tag"]

    def read_beats(self) -> MatrixBeats:
        """All beats of read-outs so far; forgets them."""
        lanes, fmt = self.lanes["c"], code_format(self.parameters.acc)
        beats = list(self.reads.beats)
        self.reads.beats.clear()
        values = [split(beat["data"], fmt, lanes) for beat in beats]
        keep = [split(beat["keep"], IntFormat(1, False), lanes) for beat in beats]
        return MatrixBeats(
            np.array(values, dtype=np.int64).reshape(-1, lanes),
            np.array(keep, dtype=np.bool_).reshape(-1, lanes),
            np.array([beat["last"] for beat in beats], dtype=np.bool_),
        )

    def broken_rules(self) -> list[str]:
        """What the core's outputs did against the rules of streams."""
        return [fault for sink in (*self.answers.values(), self.reads) for fault in sink.broken]

    def _transfer(self, port: str, transfer: Transfer) -> int:
        word = record(
            TRANSFER, base=transfer.base, rows=transfer.rows, cols=transfer.cols, region=transfer.region,
            tag=self._next_tag(),
        )  # fmt: skip
        self.commands[f"{port}_command"].send([{"data": word}])
        return self.tag

    def _next_tag(self) -> int:
        self.tag = (self.tag + 1) % 256
        return self.tag


def joined(values: Any, width: int) -> int:
    """``values`` of ``width`` bits side by side, the first least significant."""
    return sum((int(value) & ((1 << width) - 1)) << (place * width) for place, value in enumerate(values))


def split(word: int, fmt: IntFormat, count: int) -> list[int]:
    """The inverse of `joined`."""
    values = [word >> (place * fmt.width) & ((1 << fmt.width) - 1) for place in range(count)]
    return [value - (1 << fmt.width) if value > fmt.max else value for value in values]
