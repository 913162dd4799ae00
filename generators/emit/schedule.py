"""What the test bench of a bare array drives and expects, cycle by cycle."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.elaborate import core_parameters
from tilewright.generators.emit.noise import Matrix, Noise
from tilewright.generators.reference.gemm import gemm
from tilewright.generators.reference.product import product
from tilewright.hdl.numeric import FloatFormat, Format, IntFormat, convert
from tilewright.hdl.pe import IntegerOperands
from tilewright.hdl.systolic.parameters import Dataflow


class Schedule:
    """Port values by cycle: ``inputs[cycle][port]`` (0 where nothing is said, ``clear`` 1) and ``sums[cycle]``."""

    def __init__(self, config: SystolicConfig) -> None:
        p = core_parameters(config)
        self._rows, self._cols, self._p, self._vector = p.rows, p.cols, p.pipeline, p.vector
        self._operands, self._element, self._seeded = p.operands, p.element, p.seeded
        self._config = config
        self._hop, self._late = p.element.hop, p.element.late
        self._every = p.add_latency if p.interleaves else 1
        self._flexible = p.dataflow == "any"
        self.inputs: dict[int, dict[str, int]] = defaultdict(dict)
        self.sums: dict[int, int] = {}
        self._a, self._b = config.a, config.b
        self._at = begin = 2
        for index, flow in enumerate(p.dataflows):
            self._point = self._config.acc.width // 2 - 3 * index if p.has_point else 0
            (self._output_stationary if flow is Dataflow.OS else self._stationary)(flow)
            # The next dataflow starts in an empty array.
            self._at += 2 * p.rows + p.cols + p.pipeline + 4
            for cycle in range(begin, self._at) if p.has_point else ():
                self.inputs[cycle]["point"] = self._point % (1 << self._operands.constants["point"].width)
            begin = self._at

    @property
    def cycles(self) -> int:
        """Cycles until the last sums have come."""
        return max(self.sums) + 1

    def _set(self, cycle: int, **values: int) -> None:
        for port, value in values.items():
            if (
                port in self._element.row_controls
                or port in self._element.column_controls
                or port in ("x", "y", "seeds")
            ):
                self.inputs[cycle][port] = value

    def _word(self, values: Matrix, width: int) -> int:
        """``values`` side by side, the first one lowest."""
        word = 0
        for lane, value in enumerate(values.reshape(-1).tolist()):
            word |= (value & ((1 << width) - 1)) << lane * width
        return word

    def _expect(self, cycle: int, row: Matrix) -> None:
        self.sums[cycle] = self._word(row, self._operands.sum_width)

    def _product(self, x: Matrix, y: Matrix, seeds: Matrix, flow: Dataflow) -> Matrix:
        if isinstance(self._operands, IntegerOperands):
            total = IntFormat(self._operands.acc_width)
            return gemm(x, y, seeds, total, saturating=not self._operands.wraps, vector=self._vector)
        if flow is not Dataflow.IS:
            return product(self._config, x, y, seeds, self._point)
        turned = self._config.model_copy(update={"a": self._config.b, "b": self._config.a})
        return product(turned, x, y, seeds, self._point)

    @staticmethod
    def _common(values: Matrix, source: Format, target: Format) -> Matrix:
        """``values`` in the format of the array's ports, which holds those of both matrices where it serves both."""
        if source != target and isinstance(source, FloatFormat) and isinstance(target, FloatFormat):
            return convert(values, source, target).astype(np.int64)
        return values

    def _x_word(self, values: Matrix) -> int:
        """A word of ``x`` for each row, all of whose values exist."""
        o = self._operands
        bits = self._vector * o.x.width
        exist = (1 << (o.x_width - bits)) - 1
        word = 0
        for lane, row in enumerate(values.reshape(-1, self._vector)):
            word |= (exist << bits | self._word(row, o.x.width)) << lane * o.x_width
        return word

    def _seeds(self, noise: Noise, rows: int) -> Matrix:
        if not self._seeded:
            return np.zeros((rows, self._cols), dtype=np.int64)
        return noise.matrix(rows, self._cols, self._config.acc)

    def _stationary(self, flow: Dataflow) -> None:
        """Three tiles one after the other, shorter, as long as, and longer than the array is high."""
        rows, cols, depth = self._rows, self._cols, self._rows * self._vector
        x_format, y_format = (self._b, self._a) if flow is Dataflow.IS else (self._a, self._b)
        load, start = self._at, self._at + rows
        for number, steps in enumerate((max(1, rows - 1), rows, rows + 3)):
            noise = Noise(f"{flow.name} {number}")
            held = noise.matrix(depth, cols, y_format)
            x, seeds = noise.matrix(steps, depth, x_format), self._seeds(noise, steps)
            for step in range(rows):  # bottom row first, or top row first
                row = rows - 1 - step if self._hop == 1 else step
                elements = held[row * self._vector : (row + 1) * self._vector].T
                y = self._word(self._common(elements, y_format, self._operands.y), self._operands.y.width)
                self._set(load + step, y=y, shift=1, done=int(step == rows - 1), load=int(step == 0))
            total = self._product(x, held, seeds, flow)
            for step in range(steps):
                cycle = start + step
                self._set(cycle, x=self._x_word(self._common(x[step], x_format, self._operands.x)))
                self._set(cycle + self._p, pass_sum=1, capture=1)
                if step == 0:
                    self._set(cycle, swap=1)
                self._set(cycle + self._p + 1, seeds=self._word(seeds[step], self._operands.sum_width))
                self._expect(cycle + rows * self._hop + cols + self._p, total[step])
            load, start = start, start + max(steps, rows)
        self._at = start

    def _output_stationary(self, flow: Dataflow) -> None:
        """Three tiles one after the other, with K shorter than, as long as, and longer than the array is high."""
        rows, cols, vector = self._rows, self._cols, self._vector
        last_end = self._at
        for number, steps in enumerate((max(1, rows - 1), rows, rows + 3)):
            noise = Noise(f"{flow.name} {number}")
            x, y = noise.matrix(rows, steps * vector, self._a), noise.matrix(steps * vector, cols, self._b)
            seeds = self._seeds(noise, rows)
            # The drain must be free, and so must the chain of seeds.
            start = max(last_end + 1, last_end + rows - steps * self._every + 1) + (2 * rows if self._seeded else 0)
            for row in range(rows) if self._seeded else ():
                cycle = start + self._p - 2 * rows + row
                word = self._word(seeds[rows - 1 - row], self._operands.sum_width)
                self._set(cycle, seeds=word, seed_shift=1, seed_done=int(row == rows - 1))
            for step in range(steps):
                cycle, part = start + step * self._every, slice(step * vector, (step + 1) * vector)
                left = self._common(x[:, part], self._a, self._operands.x)
                right = self._common(y[part].T, self._b, self._operands.y)
                self._set(cycle, x=self._x_word(left), swap=1)
                self._set(cycle - int(self._flexible), y=self._word(right, self._operands.y.width), shift=1)
                self._set(cycle + self._p, clear=int(step == steps - 1), start=int(step == 0))
            last_end = start + (steps - 1) * self._every
            if self._flexible:  # the chain carries what is on its way down
                for cycle in range(last_end, last_end + rows):
                    self._set(cycle, shift=1)
            self._set(last_end + self._p + self._late, capture=1)
            self._set(last_end + rows + self._p + 1 + self._late, drain=1)
            total = self._product(x, y, seeds, flow)
            for row in range(rows):
                self._expect(last_end + rows + cols + self._p + self._late + row, total[rows - 1 - row])
        self._at = last_end + 1
