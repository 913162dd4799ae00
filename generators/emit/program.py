"""What a core's test bench does: loads, commands and read-outs, and the answers that the reference model gives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from amaranth.lib import data
from numpy.typing import NDArray

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.interface import Interface, layouts
from tilewright.generators.emit.noise import Matrix, Noise
from tilewright.generators.reference.core import Port, ReferenceCore
from tilewright.generators.reference.cycle_model import cycle_model
from tilewright.generators.reference.records import Command, Dataflow, Status, Transfer
from tilewright.generators.reference.scratchpad import Origin
from tilewright.hdl.numeric import FxFormat, IntFormat, code_format

POINT_CHANGES = 8
"""Commands after which the binary point of windows is another one."""


@dataclass(frozen=True)
class Beat:
    """A beat that is offered when as many answers as ``after`` says have come, by output stream."""

    payload: int
    after: tuple[int, ...]


def packed(layout: data.StructLayout, **fields: int) -> int:
    """``fields`` as a word; those not given are 0."""
    word = 0
    for name, value in fields.items():
        word |= (value & ((1 << layout[name].width) - 1)) << layout[name].offset
    return word


class Program:
    """Collects beats of all streams of a core, and what must come back.

    What is added acts at once on the reference, in this order; whoever adds it makes the core do the same, whatever
    the pauses: by waiting for answers, and by leaving words alone that something under way uses.

    Attributes:
        rules: the reference of the core.
        sent: beats by input stream.
        expected: payloads by output stream.
        cycles: that the commands take, one after the other.
    """

    def __init__(self, config: SystolicConfig, outside: Interface) -> None:
        self.config, self.rules = config, ReferenceCore(config)
        self._layouts = layouts(config)
        self._sources = {stream.name: stream for stream in outside.sources}
        self._sinks = [stream.name for stream in outside.sinks]
        self._formats: dict[Port, IntFormat] = {
            "a": code_format(config.a),
            "b": code_format(config.b),
            "c": code_format(config.acc),
        }
        self._noise = Noise("lanes that are not kept")
        self.sent: dict[str, list[Beat]] = defaultdict(list)
        self.expected: dict[str, list[int]] = defaultdict(list)
        self.cycles = 0
        self._tag = 0
        self._awaited = {sink: 0 for sink in self._sinks}

    def wait(self, *sinks: str) -> None:
        """Whatever comes next waits for all answers up to here, of ``sinks`` if any are named."""
        for sink in sinks or self._sinks:
            if not sink.endswith("_beats"):
                self._awaited[sink] = len(self.expected[sink])

    def wait_for_commands(self, count: int) -> None:
        """Whatever comes next waits until ``count`` commands have been answered."""
        self._awaited["completion"] = count

    @property
    def commands(self) -> int:
        """Commands so far."""
        return len(self.expected["completion"])

    def load(
        self,
        port: Port,
        matrix: Matrix,
        base: int = 0,
        region: int = 0,
        *,
        announced: tuple[int, int] | None = None,
        used: bool = False,
    ) -> None:
        """Loads ``matrix``; ``announced`` are other rows and columns than it has; ``used``: it is refused as in use."""
        rows, cols = matrix.shape
        told_rows, told_cols = announced or (rows, cols)
        transfer = Transfer(base, told_rows, told_cols, region)
        values = self.rules.beat_values(port)
        kept = np.arange(-(-cols // values) * values) < cols
        padded = self._noise.matrix(rows, len(kept), self._formats[port])
        padded[:, :cols] = matrix
        status = Status.IN_USE if used else self.rules.load(port, transfer, (padded * kept).reshape(-1, values))
        self._announce(f"load_{port}", transfer, status)
        keeps = _rows(np.broadcast_to(kept, padded.shape).reshape(-1, values))
        for number, beat in enumerate(_rows(padded.reshape(-1, values))):
            last = number == len(keeps) - 1
            self._send(f"load_{port}_beats", _beat(beat, keeps[number], self._formats[port].width, last=last))

    def command(self, command: Command) -> None:
        """Gives a command; of windows and without a binary point, with one that changes now and then."""
        if isinstance(self.config.acc, FxFormat) and not command.point:
            command = replace(command, point=self.config.acc.width // 2 - self.commands // POINT_CHANGES % 3)
        status = self.rules.command(command)
        if status == Status.OK:
            flow = Dataflow(command.dataflow).name.lower()
            self.cycles += cycle_model(self.config).cycles(command.m, command.n, command.k, flow)
        counts = self.rules.flag_counts(command) if status == Status.OK else {}
        self.rules.in_flight.clear()  # what touches its words before its completion is told so by the caller
        layout = self._layouts["COMMAND"]
        fields = {name: getattr(command, name) for name in command.__dataclass_fields__ if name in layout.members}
        tag = self._next_tag()
        self._send("command", packed(layout, **fields, tag=tag))
        answer = self._layouts.get("COMPLETION", self._layouts["ANSWER"])
        self.expected["completion"].append(packed(answer, status=status, tag=tag, **counts))

    def read(self, rows: int, cols: int, base: int = 0, region: int = 0, *, used: bool = False) -> None:
        """Reads C out; ``used``: it is refused as in use."""
        transfer = Transfer(base, rows, cols, region)
        status, out = self.rules.read(transfer)
        if (out.keep & (out.origin == Origin.UNDEFINED)).any():
            raise ValueError(f"a bench must not read what nobody has written, got {transfer}")
        self._announce("read_c", transfer, Status.IN_USE if used else status)
        for number, (values, keep) in enumerate(zip(_rows(out.values), _rows(out.keep), strict=True)):
            if not used:
                last = number == len(out.values) - 1
                self.expected["read_c_beats"].append(_beat(values, keep, code_format(self.config.acc).width, last=last))

    @property
    def beats(self) -> int:
        """Beats of all streams."""
        return sum(map(len, self.sent.values())) + sum(map(len, self.expected.values()))

    @property
    def limit(self) -> int:
        """Cycles after which a bench gives up: many times what it should take."""
        return 2000 + 32 * self.beats + 4 * self.cycles

    def _announce(self, port: str, transfer: Transfer, status: Status) -> None:
        tag = self._next_tag()
        word = packed(
            self._layouts["TRANSFER"],
            base=transfer.base,
            rows=transfer.rows,
            cols=transfer.cols,
            region=transfer.region,
            tag=tag,
        )
        self._send(f"{port}_command", word)
        self.expected[f"{port}_answer"].append(packed(self._layouts["ANSWER"], status=status, tag=tag))

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
