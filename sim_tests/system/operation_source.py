"""Random commands and transfers that fit a core, and how to make them not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tilewright.generators.reference.core import DATAFLOWS, Port, ReferenceCore
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.hdl.numeric import FxFormat
from tilewright.hdl.numeric.window import LARGEST_POINT
from tilewright.sim_tests.system.data import random_base, random_extent
from tilewright.sim_tests.system.longest import stretched

HIGHEST_BASE = 65_535
LARGEST_EXTENT = 45  # in elements; now and then an extent is as large as fits


class OperationSource:
    """Draws from ``rng`` what ``rules``, a core that need not hold data, calls legal."""

    def __init__(self, rules: ReferenceCore, rng: np.random.Generator) -> None:
        self.rules, self.rng, self.config = rules, rng, rules.config

    def transfer(self, port: Port) -> Transfer:
        """Rows and columns that fit, somewhere."""
        memory = getattr(self.config.scratchpads, port)
        values = self.rules.beat_values(port)
        units = (self.config.rows, self.config.cols, values)
        while True:
            rows, cols = (random_extent(self.rng, units, LARGEST_EXTENT) for _ in range(2))
            transfer = Transfer(0, rows, cols, int(self.rng.integers(2)) if port == "c" else 0)
            room = memory.words - self.rules.transfer_span(port, transfer).high
            if room >= 0:
                return replace(transfer, base=random_base(self.rng, room))

    def command(self, last: Command | None) -> Command:
        """A command that fits, somewhere; now and then it works on, or starts from, the C of ``last``."""
        command = self._shape()
        if self.rng.random() < 0.15:
            command = self._stretched(command)
        words = {name: getattr(self.config.scratchpads, name).words for name in "abc"}
        spans = self.rules.command_spans(replace(command, start=Start.BIAS))
        room = {name: words[name if name in words else "c"] - span.high for name, span in spans.items()}
        bases: dict[str, Any] = {f"{name}_base": random_base(self.rng, space) for name, space in room.items()}
        start = Start(self.rng.choice(list(Start)))
        command = replace(command, **bases, start=start, region=int(self.rng.integers(2)), point=self._point(last))
        if last is not None and self.rng.random() < 0.4:
            field = "bias_base" if start == Start.BIAS and self.rng.random() < 0.6 else "c_base"
            onto = replace(command, region=last.region, **{field: last.c_base})
            command = onto if self.rules.command_status(onto) == Status.OK else command
        # A bias within the command's own C would be refused.
        legal = self.rules.command_status(command) == Status.OK
        return command if legal else replace(command, start=Start.ZERO)

    def _point(self, last: Command | None) -> int:
        """A binary point, mostly that of ``last``; 0 where accumulators are no windows."""
        acc = self.config.acc
        if not isinstance(acc, FxFormat):
            return 0
        if last is not None and self.rng.random() < 0.8:
            return last.point
        return int(self.rng.choice((acc.width // 2, acc.width // 2 - 7, 0, -20, 140, LARGEST_POINT, -LARGEST_POINT)))

    def beyond(self, command: Command, matrix: str) -> dict[str, int]:
        """The base that is one word too high; in the deepest scratchpads the highest that can be said."""
        spans = self.rules.command_spans(replace(command, start=Start.BIAS))
        words = getattr(self.config.scratchpads, "c" if matrix == "bias" else matrix).words
        base = max(0, words - (spans[matrix].high - spans[matrix].low) + 1)
        fields: dict[str, int] = {f"{matrix}_base": min(HIGHEST_BASE, base)}
        return fields | ({"start": int(Start.BIAS)} if matrix == "bias" else {})

    def unknown_dataflows(self) -> list[int]:
        """Numbers of dataflows that the core does not have."""
        return [number for number in range(4) if number not in DATAFLOWS[self.config.dataflow]]

    def _shape(self) -> Command:
        """A command from zero at the bottom of the memories."""
        r, c, v = self.config.rows, self.config.cols, self.config.vector
        dataflow = int(self.rng.choice(DATAFLOWS[self.config.dataflow]))
        while True:
            m, n = (random_extent(self.rng, (r, c), LARGEST_EXTENT) for _ in range(2))
            k = random_extent(self.rng, (v, r * v), LARGEST_EXTENT * v)
            command = Command(m, n, k, dataflow)
            if self.rules.command_status(command) == Status.OK:
                return command

    def _stretched(self, command: Command) -> Command:
        """``command`` with one of its extents as large as fits."""
        name = str(self.rng.choice(("m", "n", "k")))
        return stretched(self.rules, command, name)
