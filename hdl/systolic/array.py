"""The systolic array: skew, rows of processing elements, deskew."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.memory.ram_skew import RamSkew
from tilewright.hdl.pe import Element, in_row
from tilewright.hdl.structure import Block, Repeat, Skew, Taps, place


class SystolicArray(Block):
    """``rows`` x ``cols`` copies of ``element``; words go in and come out unskewed, one wavefront a cycle.

    Nothing inside stalls. With ``p`` the pipeline depth of the element and ``h`` its ``hop``:

    - ``x`` of cycle *t* meets row *r*, column *c* in cycle *t+r*h+c*; ``y`` of output-stationary steps likewise;
    - row controls that act on operands (``swap``) come with ``x``; those that act on sums (``clear``, ``capture``,
      ``pass_sum``) come ``p`` cycles later; column controls act on column *c* in cycle *t+c*;
    - ``sums`` of a stationary step of cycle *t* are there in cycle ``t + rows*h + cols + p``;
    - the sums of an output-stationary tile whose last step was in cycle *t* are there, bottom row first, from cycle
      ``t + rows + cols + p + late`` on, when ``drain`` was given in cycle ``t + rows + p + 1 + late``;
    - lanes of a skew wait in ``skew_memories`` memories, the longest first, and in registers;
    - ``seeds`` (only when ``seeded``, else zero) enter the top row of the sums, and the chain of seeds of elements that
      have one (``seed_shift``, ``seed_done`` in the same cycle), in the cycle in which they are given.

    Members
    -------
    x: rows * word bits of one ``x`` operand (lane 0 is row 0)
    y: cols * word bits of one ``y`` operand (lane 0 is column 0)
    seeds, sums: cols * ``sum_width`` bits
    controls as the element names them, 1 bit each
    constants of the operands: see `Operands`
    """

    def __init__(
        self,
        element: Element,
        rows: int,
        cols: int,
        *,
        seeded: bool = False,
        skew_memories: int = 0,
        name: str | None = None,
    ) -> None:
        self.element, self.rows, self.cols, self.seeded = element, rows, cols, seeded
        self.skew_memories = skew_memories
        x, y, total = len(element.x_in), len(element.y_in), len(element.sum_in)
        members = {"x": In(unsigned(rows * x)), "y": In(unsigned(cols * y))}
        if seeded:
            members["seeds"] = In(unsigned(cols * total))
        members |= {control: In(1) for control in (*element.row_controls, *element.column_controls)}
        members |= {name: In(shape) for name, shape in element.operands.constants.items()}
        members["sums"] = Out(unsigned(cols * total))
        super().__init__(f"array_{rows}x{cols}" if name is None else name, members)

    @property
    def latency(self) -> int:
        """Cycles from ``x`` to the ``sums`` it ends in: ``rows * hop + cols + pipeline + late``."""
        return self.rows * self.element.hop + self.cols + self.element.operands.pipeline + self.element.late

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        element, rows, cols = self.element, self.rows, self.cols
        constants = tuple(element.operands.constants)
        unit, count = in_row(element, cols)
        southward = {"y_in": "y_out", "sum_in": "sum_out"} | ({"seed_in": "seed_out"} if element.has_seeds else {})
        row = Repeat(
            f"row_{cols}",
            unit,
            count,
            label="pe",
            chain=element.eastward,
            shared=constants,
            drop=tuple(element.eastward.values()),
        )
        grid = Repeat(
            f"rows_{rows}x{cols}",
            row,
            rows,
            label="row",
            chain=southward,
            shared=(*element.column_controls, *constants),
            drop=tuple(sink for sink in southward.values() if sink != "sum_out"),
        )
        m.submodules.grid = place(platform, grid)
        m.d.comb += [getattr(grid, name).eq(getattr(self, name)) for name in constants]

        def through(name: str, block: Block, value: Any) -> Any:
            m.submodules[name] = place(platform, block)
            m.d.comb += block.d.eq(value)
            return block.q

        x_width, y_width, sum_width = len(element.x_in), len(element.y_in), len(element.sum_in)
        m.d.comb += grid.x_in.eq(through("skew_x", self._skew(rows, x_width, step=element.hop), self.x))
        m.d.comb += grid.y_in.eq(through("skew_y", self._skew(cols, y_width), self.y))
        for control in element.row_controls:
            taps = through(f"taps_{control}", Taps(rows, 1, step=element.hop), getattr(self, control))
            m.d.comb += getattr(grid, f"{control}_in").eq(taps)
        for control in element.column_controls:
            m.d.comb += getattr(grid, control).eq(through(f"taps_{control}", Taps(cols, 1), getattr(self, control)))
        top = Const(0, cols * sum_width)
        if self.seeded:
            top = through("skew_seeds", self._skew(cols, sum_width), self.seeds)
        m.d.comb += grid.sum_in.eq(top)
        if element.has_seeds:
            m.d.comb += grid.seed_in.eq(top)
        m.d.comb += self.sums.eq(through("deskew_sums", self._skew(cols, sum_width, reverse=True), grid.sum_out))
        return m

    def _skew(self, count: int, width: int, *, reverse: bool = False, step: int = 1) -> Block:
        if not self.skew_memories:
            return Skew(count, width, reverse=reverse, step=step)
        return RamSkew(count, width, reverse=reverse, step=step, memories=self.skew_memories)
