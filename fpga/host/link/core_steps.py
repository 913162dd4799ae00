"""What a selftest may do with a core, and what it may try: random commands and transfers, legal or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.reference.core import DATAFLOWS, Port, ReferenceCore
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.generators.reference.scratchpad import Span
from tilewright.hdl.numeric import FloatFormat, Format, FxFormat, IntFormat
from tilewright.hdl.numeric.window import LARGEST_POINT

PORTS: tuple[Port, ...] = ("a", "b", "c")
FIELD_BITS = 16
HIGHEST = (1 << FIELD_BITS) - 1
_SHAPE = ("rows", "cols", "base")
_EXTENTS, _BASES = ("m", "n", "k"), ("a_base", "b_base", "c_base", "bias_base")


class CoreSteps:
    """Draws from ``rng`` for the core that ``rules`` describe."""

    def __init__(self, rules: ReferenceCore, rng: np.random.Generator) -> None:
        self.rules, self.rng = rules, rng
        config = rules.config
        self._sizes = sorted({config.rows, config.cols, config.vector, *(rules.beat_values(port) for port in PORTS)})

    def command(self) -> Command:
        """Mostly one that is legal; the others err in one field or in two."""
        command = self.legal()
        if self.rng.random() < 0.6:
            return command
        for _ in range(1 if self.rng.random() < 0.7 else 2):
            command = self._otherwise(command)
        return command

    def transfer(self, port: Port, most: int) -> Transfer:
        """One that is legal, of at most so many beats."""
        words = self._words(port)
        while True:
            rows, cols = (self._extent(most * self.rules.beat_values(port)) for _ in range(2))
            transfer = Transfer(0, rows, cols, self._region(port))
            span = self.rules.transfer_span(port, transfer)
            if self.rules.beats(port, transfer.rows, transfer.cols) <= most and span.high <= words:
                return replace(transfer, base=self._base(words - span.high))

    def odd_transfer(self, port: Port) -> Transfer:
        """Mostly one that the core must refuse."""
        transfer = self.transfer(port, 4)
        field = str(self.rng.choice(_SHAPE))
        if field == "base" and self.rng.random() < 0.5:
            span = self.rules.transfer_span(port, transfer)
            return replace(transfer, base=min(HIGHEST, self._words(port) - (span.high - span.low) + 1))
        return replace(transfer, **{field: self._wrong(getattr(transfer, field))})

    def bits(self) -> Iterator[tuple[Command | None, Port, Transfer | None]]:
        """Each bit of each field of a command, and of a transfer of each port, another than is legal, in any order."""
        fields = [("command", name, bit) for name in (*_EXTENTS, *_BASES) for bit in range(FIELD_BITS)]
        fields += [(port, name, bit) for port in PORTS for name in _SHAPE for bit in range(FIELD_BITS)]
        for at in self.rng.permutation(len(fields)):
            port, name, bit = fields[at]
            if port == "command":
                command = self.legal()
                start = {"start": Start.BIAS} if name == "bias_base" else {}
                yield replace(command, **start, **{name: getattr(command, name) ^ 1 << bit}), "c", None
            else:
                side: Port = next(each for each in PORTS if each == port)
                transfer = self.transfer(side, 4)
                yield None, side, replace(transfer, **{name: getattr(transfer, name) ^ 1 << bit})

    def view(self, region: int, span: Span, most: int) -> Transfer:
        """A matrix in words of C, of at most so many."""
        lanes = self.rules.beat_values("c")
        words = min(most, span.high - span.low)
        rows = int(self.rng.integers(1, words + 1))
        panels = int(self.rng.integers(1, words // rows + 1))
        base = span.low + self._base(span.high - span.low - rows * panels)
        return Transfer(base, rows, panels * lanes - int(self.rng.integers(lanes)), region)

    def codes(self, fmt: Format, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Values of all sorts; or only the ends, of one sign or of both, and what is next to 0."""
        width = fmt.width if isinstance(fmt, IntFormat | FloatFormat) else fmt.width - 1
        least, most = (fmt.min, fmt.max) if isinstance(fmt, IntFormat) else (0, (1 << width) - 1)
        ends = ((least, most), (least,), (most,), (0, max(least, -1), 1))
        kind = int(self.rng.integers(2 * len(ends)))
        if kind < len(ends):
            return self.rng.choice(np.array(ends[kind], dtype=np.int64), shape)
        return self.rng.integers(least, most, shape, dtype=np.int64, endpoint=True)

    def legal(self) -> Command:
        """A command that the core must carry out."""
        pads = self.rules.config.scratchpads
        limits = (pads.a.words, pads.c.words * pads.c.lanes, pads.a.words * self.rules.beat_values("a"))
        flows = DATAFLOWS[self.rules.config.dataflow]
        while True:
            m, n, k = (self._extent(limit) for limit in limits)
            flow, start = int(self.rng.choice(flows)), Start(int(self.rng.integers(len(Start))))
            command = Command(m, n, k, flow, start, region=self._region("c"), point=self._point())
            bases = {f"{name}_base": self._base(room) for name, room in self._room(command).items() if room >= 0}
            command = replace(command, **bases)
            if self.rules.command_status(command) == Status.OK:
                return command

    def _otherwise(self, command: Command) -> Command:
        """A command that is another one in a field."""
        field = str(self.rng.choice((*_EXTENTS, *_BASES, "past", "bias", "dataflow", "start", "point")))
        if field == "past":
            name, room = list(self._room(command).items())[int(self.rng.integers(4))]
            start = {"start": Start.BIAS} if name == "bias" else {}
            return replace(command, **start, **{f"{name}_base": min(HIGHEST, max(0, room + 1))})
        if field == "bias":
            span = self.rules.command_spans(command)["c"]
            base = int(self.rng.integers(max(0, span.low - 2), span.high + 2))
            return replace(command, start=Start.BIAS, bias_base=min(base, HIGHEST))
        if field in ("dataflow", "start"):
            return replace(command, **{field: int(self.rng.integers(4))})
        if field == "point":
            windows = isinstance(self.rules.config.acc, FxFormat)
            return replace(command, point=(LARGEST_POINT + 1) * int(self.rng.choice((-1, 1)))) if windows else command
        return replace(command, **{field: self._wrong(getattr(command, field))})

    def _room(self, command: Command) -> dict[str, int]:
        """Words above each matrix of a command at the bottom of its memory."""
        spans = self.rules.command_spans(replace(command, start=Start.BIAS))
        words = {name: self._words("c" if name == "bias" else name) for name in spans}  # type: ignore[arg-type]
        return {name: words[name] - (span.high - span.low) for name, span in spans.items()}

    def _extent(self, most: int) -> int:
        """1..``most``: any, small ones as often as large ones; or near a multiple of what the core has side by side."""
        if self.rng.random() < 0.5:
            return min(most, int(2 ** self.rng.uniform(0, np.log2(most + 1))))
        size = int(self.rng.choice(self._sizes)) * int(self.rng.integers(1, 4))
        return min(most, max(1, size + int(self.rng.integers(-1, 2))))

    def _base(self, room: int) -> int:
        """0..``room``; often one of the ends."""
        return int(self.rng.choice((0, room, int(self.rng.integers(room + 1))), p=(0.15, 0.25, 0.6)))

    def _wrong(self, value: int) -> int:
        """0, the largest, or a value with another bit."""
        other = value ^ 1 << int(self.rng.integers(FIELD_BITS))
        return int(self.rng.choice((0, HIGHEST, other), p=(0.1, 0.1, 0.8)))

    def _point(self) -> int:
        return int(self.rng.integers(-40, 41)) if isinstance(self.rules.config.acc, FxFormat) else 0

    def _region(self, port: Port) -> int:
        return int(self.rng.integers(self.rules.config.scratchpads.c.regions)) if port == "c" else 0

    def _words(self, port: Port) -> int:
        return int(getattr(self.rules.config.scratchpads, port).words)
