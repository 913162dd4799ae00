"""A GEMM core as its user sees it: scratchpads, loads, commands, read-outs, statuses. Bit-exact, without time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.reference.product import product
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.generators.reference.scratchpad import Origin, Origins, ScratchpadModel, Span, Values
from tilewright.hdl.numeric import FxFormat, unpack_window
from tilewright.hdl.numeric.window import LARGEST_POINT

DATAFLOWS = {"ws": (0,), "os": (1,), "is": (2,), "any": (0, 1, 2)}

Port = Literal["a", "b", "c"]


@dataclass(frozen=True)
class Readout:
    """The beats of a read-out, in order.

    Attributes:
        values: ``(beats, lanes)``; 0 beyond the end of a row.
        keep: ``(beats, lanes)``; whether the row reaches so far.
        origin: ``(beats, lanes)``; an `Origin` each, ``LOADED`` beyond the end of a row.
        rows, cols: of the matrix; 0 x 0 where the read-out was refused.
    """

    values: Values
    keep: NDArray[np.bool_]
    origin: Origins
    rows: int
    cols: int

    @property
    def matrix(self) -> Values:
        """The matrix that was read."""
        return self.values.reshape(self.rows, -1)[:, : self.cols] if self.rows else self.values[:0, :0]


class ReferenceCore:
    """An interpreter of the core that ``config`` describes.

    ``load``, ``command`` and ``read`` act at once and answer with a `Status`. A command accepted stays in
    ``in_flight`` until the caller, who knows the timing, takes it out; transfers that touch its words are refused
    meanwhile. Values that the contract leaves open are marked undefined: memory never written; lanes beyond N of the
    words of C that a command has written, in a memory that is not banked; C of a command that was cut off by a reset.

    Attributes:
        in_flight: commands accepted whose completion has not been offered, oldest first.
        a, b: contents of the operand memories, ``vector`` slots an element.
        c: contents of the two regions.
    """

    def __init__(self, config: SystolicConfig) -> None:
        self.config = config
        pads = config.scratchpads
        self.a = ScratchpadModel(pads.a, config.vector)
        self.b = ScratchpadModel(pads.b, config.vector)
        self.c = tuple(ScratchpadModel(pads.c) for _ in range(pads.c.regions))
        self.in_flight: list[Command] = []

    def groups(self, values: int) -> int:
        """Elements that ``values`` along K take."""
        return -(-values // self.config.vector)

    def beat_values(self, port: Port) -> int:
        """Values of a beat of ``port``; read-outs are like "c"."""
        lanes = self._memory(port, 0).geometry.lanes
        return lanes * self.config.vector if port == "a" else lanes

    def beats(self, port: Port, rows: int, cols: int) -> int:
        """Beats of a matrix of ``rows`` x ``cols`` values."""
        return rows * -(-cols // self.beat_values(port))

    def transfer_span(self, port: Port, transfer: Transfer) -> Span:
        """Words that a transfer of ``port`` touches."""
        rows = self.groups(transfer.rows) if port == "b" else transfer.rows
        cols = self.groups(transfer.cols) if port == "a" else transfer.cols
        return self._memory(port, transfer.region).span(rows, cols, transfer.base)

    def command_spans(self, command: Command) -> dict[str, Span]:
        """Words of a command's "a", "b", "c" and, only if it starts from one, "bias"."""
        m, n, groups = command.m, command.n, self.groups(command.k)
        spans = {
            "a": self.a.span(m, groups, command.a_base),
            "b": self.b.span(groups, n, command.b_base),
            "c": self.c[0].span(m, n, command.c_base),
        }
        if command.start == Start.BIAS:
            spans["bias"] = self.c[0].span(1, n, command.bias_base)
        return spans

    def uses(self, command: Command, port: Port, transfer: Transfer) -> bool:
        """Whether ``command`` uses a word that ``transfer`` of ``port`` touches."""
        span, spans = self.transfer_span(port, transfer), self.command_spans(command)
        if port != "c":
            return span.overlaps(spans[port])
        used = (spans[name] for name in ("c", "bias") if name in spans)
        return command.region == transfer.region and any(span.overlaps(words) for words in used)

    def command_status(self, command: Command) -> Status:
        """How ``command`` ends."""
        if 0 in (command.m, command.n, command.k):
            return Status.EMPTY
        if command.dataflow not in DATAFLOWS[self.config.dataflow]:
            return Status.BAD_DATAFLOW
        if command.start not in tuple(Start):
            return Status.BAD_START
        if isinstance(self.config.acc, FxFormat) and abs(command.point) > LARGEST_POINT:
            return Status.BAD_POINT
        spans = self.command_spans(command)
        memories = {"a": self.a, "b": self.b, "c": self.c[0], "bias": self.c[0]}
        for name, span in spans.items():
            if not memories[name].fits(span):
                return Status[f"{name.upper()}_OUT_OF_RANGE"]
        if "bias" in spans and spans["bias"].overlaps(spans["c"]):
            return Status.BIAS_IN_C
        return Status.OK

    def transfer_status(self, port: Port, transfer: Transfer) -> Status:
        """How ``transfer`` ends, unless its beats have the wrong number."""
        if 0 in (transfer.rows, transfer.cols):
            return Status.EMPTY
        if not self._memory(port, transfer.region).fits(self.transfer_span(port, transfer)):
            return Status.OUT_OF_RANGE
        used = any(self.uses(command, port, transfer) for command in self.in_flight)
        return Status.IN_USE if used else Status.OK

    def load(self, port: Port, transfer: Transfer, beats: Values) -> Status:
        """Loads ``beats``, ``(n, beat_values(port))``; beats that come before a wrong end are written."""
        status = self.transfer_status(port, transfer)
        if status != Status.OK:
            return status
        expected = self.beats(port, transfer.rows, transfer.cols)
        self._write(port, transfer, beats[:expected])
        return Status.OK if len(beats) == expected else Status.LENGTH

    def read(self, transfer: Transfer) -> tuple[Status, Readout]:
        """Reads C out; a refused read-out has no beats."""
        status = self.transfer_status("c", transfer)
        region = self.c[transfer.region]
        rows, cols = (transfer.rows, transfer.cols) if status == Status.OK else (0, 0)
        width, lanes = region.panels(cols) * region.geometry.lanes, region.geometry.lanes
        values, origin = (part[:, :, 0] for part in region.matrix(rows, width, transfer.base))
        keep = np.broadcast_to(np.arange(width) < cols, (rows, width))
        beats = (
            np.where(keep, values, 0).reshape(-1, lanes),
            keep.reshape(-1, lanes),
            np.where(keep, origin, np.uint8(Origin.LOADED)).reshape(-1, lanes),
        )
        return status, Readout(*beats, rows, cols)

    def command(self, command: Command) -> Status:
        """Runs ``command``, which stays in flight if it is legal."""
        status = self.command_status(command)
        if status == Status.OK:
            self._compute(command)
            self.in_flight.append(command)
        return status

    def flag_counts(self, command: Command) -> dict[str, int]:
        """How many results of ``command``, which has just been run, have each flag, up to 65,535; none but windows do.

        Raises ValueError where one of the results is undefined.
        """
        acc = self.config.acc
        if not isinstance(acc, FxFormat):
            return {}
        values, origin = self.c[command.region].matrix(command.m, command.n, command.c_base)
        if (origin == Origin.UNDEFINED).any():
            raise ValueError(f"results must be defined to be counted, got {command}")
        total = unpack_window(values[:, :, 0], acc)
        return {flag: min(int(getattr(total, flag).sum()), 65_535) for flag in ("invalid", "overflow", "underflow")}

    def reset(self) -> None:
        """Forgets the commands in flight; what they would have written is undefined."""
        for command in self.in_flight:
            span = self.command_spans(command)["c"]
            self.c[command.region].origin[span.low : span.high] = Origin.UNDEFINED
        self.in_flight.clear()

    def _memory(self, port: Port, region: int) -> ScratchpadModel:
        return {"a": self.a, "b": self.b, "c": self.c[region]}[port]

    def _write(self, port: Port, transfer: Transfer, beats: Values) -> None:
        """Beats are rows of whole words; where a word's slots lie in different rows (B), a beat writes one of them."""
        memory, vector = self._memory(port, transfer.region), self.config.vector
        lanes = memory.geometry.lanes
        panels = -(-transfer.cols // self.beat_values(port))
        rows = self.groups(transfer.rows) if port == "b" else transfer.rows
        words, places = memory.places(rows, panels * lanes, transfer.base)
        row, panel = np.divmod(np.arange(len(beats)), panels)
        stored_row = row // vector if port == "b" else row
        at = (stored_row[:, None], panel[:, None] * lanes + np.arange(lanes))
        if port == "b":
            where: tuple[NDArray[np.intp], ...] = (words[at], places[at], (row % vector)[:, None])
            data = beats
        else:
            where, data = (words[at], places[at]), beats.reshape(len(beats), lanes, -1)
        memory.values[where] = data
        memory.origin[where] = Origin.LOADED

    def _compute(self, command: Command) -> None:
        m, n, k = command.m, command.n, command.k
        region = self.c[command.region]
        # (M, KG, V) -> (M, K) and (KG, N, V) -> (K, N)
        a, a_origin = (part.reshape(m, -1)[:, :k] for part in self.a.matrix(m, self.groups(k), command.a_base))
        b, b_origin = (
            part.transpose(0, 2, 1).reshape(-1, n)[:k] for part in self.b.matrix(self.groups(k), n, command.b_base)
        )
        start, start_origin = self._start(command, region)
        c = self._product(command, a.astype(np.int64), b.astype(np.int64), start)
        rows_known, columns_known = np.min(a_origin, axis=1)[:, None] > 0, np.min(b_origin, axis=0)[None, :] > 0
        known = rows_known & columns_known & (start_origin > 0)
        origin = np.where(known, np.uint8(Origin.COMPUTED), np.uint8(Origin.UNDEFINED))
        spans = self.command_spans(command)
        if not region.banked:
            region.origin[spans["c"].high - m : spans["c"].high, (n - 1) % region.geometry.lanes + 1 :] = (
                Origin.UNDEFINED
            )
        region.store(c[:, :, None], origin[:, :, None], command.c_base)

    def _product(self, command: Command, a: Values, b: Values, start: Values) -> Values:
        """What a command writes to C."""
        return product(self.config, a, b, start, command.point)

    def _start(self, command: Command, region: ScratchpadModel) -> tuple[Values, Origins]:
        if command.start == Start.ZERO:
            return np.zeros((1, 1), dtype=np.int64), np.full((1, 1), Origin.LOADED, dtype=np.uint8)
        rows, base = (1, command.bias_base) if command.start == Start.BIAS else (command.m, command.c_base)
        values, origin = region.matrix(rows, command.n, base)
        return values[:, :, 0], origin[:, :, 0]
