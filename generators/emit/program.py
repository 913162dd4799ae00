"""What a core's test bench does: loads, commands and read-outs, and the answers that the reference model gives."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from amaranth.lib import data
from numpy.typing import NDArray

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.interface import LAYOUTS, Interface
from tilewright.generators.emit.latency import cycle_model
from tilewright.generators.reference.core import DATAFLOWS, Port, ReferenceCore
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.hdl.numeric import IntFormat

Matrix = NDArray[np.int64]
_FLOWS = ("ws", "os", "is")
LARGEST_TILE = 32
"""Rows or columns of an array up to which whole tiles are tested in both directions at once."""


@dataclass(frozen=True)
class Beat:
    """A beat that is offered when as many answers as ``after`` says have come, by output stream."""

    payload: int
    after: tuple[int, ...]


class Noise:
    """Numbers that look random and are the same for the same name, everywhere."""

    def __init__(self, name: str) -> None:
        self._name, self._count = name, 0

    def number(self, bits: int) -> int:
        """A number of ``bits`` bits."""
        self._count += 1
        digest = hashlib.sha256(f"{self._name} {self._count}".encode()).digest()
        return int.from_bytes(digest, "little") & ((1 << bits) - 1)

    def matrix(self, rows: int, cols: int, fmt: IntFormat) -> Matrix:
        """Values of ``fmt``, one in eight of them an extreme."""
        return np.array([[self._value(fmt) for _ in range(cols)] for _ in range(rows)], dtype=np.int64)

    def _value(self, fmt: IntFormat) -> int:
        kind = self.number(4)
        return fmt.min if kind == 0 else fmt.max if kind == 1 else fmt.min + self.number(fmt.width)


def packed(layout: data.StructLayout, **fields: int) -> int:
    """``fields`` as a word; those not given are 0."""
    word = 0
    for name, value in fields.items():
        word |= (value & ((1 << layout[name].width) - 1)) << layout[name].offset
    return word


class Program:
    """Collects beats of all streams of a core, and what must come back."""

    def __init__(self, config: SystolicConfig, outside: Interface) -> None:
        self.config, self._reference = config, ReferenceCore(config)
        self._sources = {stream.name: stream for stream in outside.sources}
        self._sinks = [stream.name for stream in outside.sinks]
        self._formats: dict[Port, IntFormat] = {"a": config.a, "b": config.b, "c": config.acc}
        self.sent: dict[str, list[Beat]] = defaultdict(list)
        self.expected: dict[str, list[int]] = defaultdict(list)
        self.cycles = 0
        """Cycles that the commands take, one after the other."""
        self._tag = 0
        self._awaited = {sink: 0 for sink in self._sinks}

    def wait(self) -> None:
        """Whatever comes next waits for all answers up to here."""
        self._awaited = {sink: 0 if sink.endswith("_beats") else len(self.expected[sink]) for sink in self._sinks}

    def load(self, port: Port, matrix: Matrix, base: int = 0, region: int = 0) -> None:
        """Loads ``matrix``."""
        rows, cols = matrix.shape
        transfer = Transfer(base, rows, cols, region)
        values = self._reference.beat_values(port)
        padded = np.zeros((rows, -(-cols // values) * values), dtype=np.int64)
        padded[:, :cols] = matrix
        beats = padded.reshape(-1, values)
        status = self._reference.load(port, transfer, beats)
        self._announce(f"load_{port}", transfer, status)
        width = self._formats[port].width
        keeps = _rows((np.arange(padded.shape[1]) < cols).reshape(-1, values)) * rows
        for number, beat in enumerate(_rows(beats)):
            last = number == len(beats) - 1
            self._send(f"load_{port}_beats", _beat(beat, keeps[number], width, last=last))

    def command(self, command: Command) -> None:
        """Gives a command."""
        status = self._reference.command(command)
        if status == Status.OK:
            self.cycles += cycle_model(self.config).cycles(command.m, command.n, command.k, _FLOWS[command.dataflow])
        self._reference.in_flight.clear()  # nothing touches its words before its completion
        fields = {name: getattr(command, name) for name in command.__dataclass_fields__}
        tag = self._next_tag()
        self._send("command", packed(LAYOUTS["COMMAND"], **fields, tag=tag))
        self.expected["completion"].append(packed(LAYOUTS["ANSWER"], status=status, tag=tag))

    def read(self, rows: int, cols: int, base: int = 0, region: int = 0) -> None:
        """Reads C out."""
        transfer = Transfer(base, rows, cols, region)
        status, out = self._reference.read(transfer)
        self._announce("read_c", transfer, status)
        for number, (values, keep) in enumerate(zip(_rows(out.values), _rows(out.keep), strict=True)):
            last = number == len(out.values) - 1
            self.expected["read_c_beats"].append(_beat(values, keep, self.config.acc.width, last=last))

    def fits(self, command: Command) -> bool:
        """Whether the core would run ``command``."""
        return self._reference.command_status(command) == Status.OK

    @property
    def beats(self) -> int:
        """Beats of all streams."""
        return sum(map(len, self.sent.values())) + sum(map(len, self.expected.values()))

    @property
    def limit(self) -> int:
        """Cycles after which a bench gives up: many times what it should take."""
        return 2000 + 32 * self.beats + 4 * self.cycles

    def words_of_c(self, rows: int, cols: int) -> int:
        """Words of C that a matrix takes."""
        return rows * -(-cols // self.config.scratchpads.c.lanes)

    def _announce(self, port: str, transfer: Transfer, status: Status) -> None:
        tag = self._next_tag()
        word = packed(
            LAYOUTS["TRANSFER"],
            base=transfer.base,
            rows=transfer.rows,
            cols=transfer.cols,
            region=transfer.region,
            tag=tag,
        )
        self._send(f"{port}_command", word)
        self.expected[f"{port}_answer"].append(packed(LAYOUTS["ANSWER"], status=status, tag=tag))

    def _send(self, stream: str, payload: int) -> None:
        self.sent[stream].append(Beat(payload, tuple(self._awaited[sink] for sink in self._sinks)))

    def _next_tag(self) -> int:
        self._tag = (self._tag + 1) % 256
        return self._tag


def _rows(matrix: NDArray[Any]) -> list[list[int]]:
    return [[int(value) for value in row] for row in matrix]


def _beat(values: Sequence[int], keep: Sequence[int], width: int, *, last: bool) -> int:
    """Data, keep, last, from bit 0 on."""
    word = 0
    for lane, (value, kept) in enumerate(zip(values, keep, strict=True)):
        word |= (value & ((1 << width) - 1)) << lane * width
        word |= kept << (len(values) * width + lane)
    return word | int(last) << (len(values) * (width + 1))


def bench_program(config: SystolicConfig, outside: Interface) -> Program:
    """Every dataflow of the core on ragged and smallest shapes, and what must be refused.

    C starts from zero, a bias row and an old C; two commands follow each other back to back on both regions.
    """
    program = Program(config, outside)
    for flow in DATAFLOWS[config.dataflow]:
        for m, n, k in _shapes(config):
            _products(program, Noise(f"{flow} {m} {n} {k}"), flow, m, n, k)
    _refusals(program, DATAFLOWS[config.dataflow][0])
    return program


def _shapes(config: SystolicConfig) -> Iterator[tuple[int, int, int]]:
    """Shapes one beyond the tile; of large arrays in one direction at a time, to keep the vectors short.

    First a K that ends with a vector, while nothing has been written behind it.
    """
    yield 2, 2, config.vector
    depth = config.rows * config.vector
    if max(config.rows, config.cols, depth) <= LARGEST_TILE:
        yield config.rows + 1, config.cols + 1, depth + 1
    else:
        yield 2, config.cols + 1, 3
        yield 2, 2, depth + 1
        yield min(config.rows, LARGEST_TILE) + 1, 2, 2
    yield 1, 1, 1


def _products(program: Program, noise: Noise, flow: int, m: int, n: int, k: int) -> None:
    """Loads operands and runs three commands on them; a shape that does not fit is halved until it does."""
    config = program.config
    while True:
        base = program.words_of_c(m, n)
        biased = Command(m, n, k, flow, Start.BIAS, bias_base=base)
        if program.fits(biased) or (m, n, k) == (1, 1, 1):
            break
        m, n, k = (max(1, size // 2) for size in (m, n, k))
    program.load("a", noise.matrix(m, k, config.a))
    program.load("b", noise.matrix(k, n, config.b))
    program.load("c", noise.matrix(m, n, config.acc))
    program.load("c", noise.matrix(1, n, config.acc), base=base)
    program.wait()
    program.command(Command(m, n, k, flow, Start.ACCUMULATE))
    program.command(Command(m, n, k, flow, Start.ZERO, region=1))
    program.wait()
    program.read(m, n)
    program.read(m, n, region=1)
    program.wait()
    program.command(biased)
    program.wait()
    program.read(m, n)
    program.wait()


def _refusals(program: Program, flow: int) -> None:
    """Commands and a read-out that must change nothing."""
    program.command(Command(1, 1, 1, dataflow=3))
    program.command(Command(1, 1, 0, flow))
    program.command(Command(2, 1, 1, flow, a_base=0xFFFF))
    program.read(2, 1, base=0xFFFF)
    program.read(1, 1)
    program.wait()
