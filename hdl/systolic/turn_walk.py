"""The registers with which a core that does one thing at a time goes through matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, ValueLike

from tilewright.hdl.memory import Geometry
from tilewright.hdl.structure import at_most, named


@dataclass(frozen=True)
class Bits:
    """Of a word's address and of the end of a memory, and of a count of columns that a memory holds."""

    words: int
    columns: int

    @classmethod
    def of(cls, memories: Sequence[Geometry]) -> Bits:
        """Those that do for all of ``memories``."""
        return cls(max(g.words for g in memories).bit_length(), max(g.words * g.lanes for g in memories).bit_length())


def cut(value: Value, bits: int) -> Value:
    """The low ``bits`` of ``value``, and one more above them that tells that there is anything beyond."""
    return Cat(value[:bits], Const(0, max(0, bits - len(value))), value[bits:].any())


class TurnWalk:
    """Word by word through a matrix: the first row alone, to see where it ends, or row by row.

    A row's words are ``stride`` words apart, one a panel of ``lanes`` columns. The matrix ends ``stride`` words behind
    its first row's last, so walking that row tells whether it fits, without a multiplier.

    Attributes
    ----------
    panel: the word; behind the last one of a row, the end of what it is the first row of
    left: columns that are left in the row, those of this word included
    end_of_row, final: the word is the row's last, the matrix's last
    slot: the row, modulo the slots of an element
    wide: a word since ``look`` was beyond the end of the memory, or a number is one that no memory has
    """

    def __init__(self, m: Module, memories: Sequence[Geometry], chosen: Sequence[Value]) -> None:
        """For matrices in any of ``memories``; a bit for each: it is ``chosen``."""
        bits = Bits.of(memories)
        words, columns = bits.words, bits.columns
        slots = max(g.slots for g in memories)
        rows = max(g.words * g.slots for g in memories).bit_length()
        self._lanes = _of(chosen, [g.lanes for g in memories])
        self.base, self.panel = (
            Signal(words, name="base", reset_less=True),
            Signal(words + 1, name="panel", reset_less=True),
        )
        self._stride = Signal(words, name="stride", reset_less=True)
        self.wide = Signal(name="wide", reset_less=True)
        self._columns = Signal(columns, name="columns", reset_less=True)
        self.left = Signal(columns, name="left", reset_less=True)
        self._rows_left = Signal(rows, name="rows_left", reset_less=True)
        self.slot = Signal(max(1, (slots - 1).bit_length()), name="slot")
        self._following = named(m, self.panel + self._stride, "following")
        self._chosen, self._all_lanes = chosen, [g.lanes for g in memories]
        self.end_of_row = Signal(
            name="end_of_row", reset_less=True
        )  # known a word before, so that no word waits for it
        fits = _each(chosen, [g.words for g in memories], lambda most: at_most(self.panel, most))
        self._beyond = named(m, self.wide | ~fits, "beyond")
        self.final = named(m, self.end_of_row & (self._rows_left == 1), "final")

    def look(self, m: Module, base: Value, stride: Value, columns: Value) -> None:
        """Goes to the first word of a matrix at ``base``, of so many columns, to walk its first row; all are `cut`."""
        m.d.sync += [
            self.base.eq(base),
            self.panel.eq(base),
            self._stride.eq(stride),
            self._columns.eq(columns),
            self.left.eq(columns),
            self.end_of_row.eq(self._ends(columns)),
            self.wide.eq(stride[-1] | columns[-1]),
        ]

    def next_panel(self, m: Module) -> None:
        """Goes to the next word of the row."""
        m.d.sync += [
            self.panel.eq(self._following), self.left.eq(self.left - self._lanes),
            self.end_of_row.eq(self._ends(self.left, 2)),
        ]  # fmt: skip
        self.note_end(m)

    def note_end(self, m: Module) -> None:
        """Remembers whether ``panel`` is beyond the end of the memory."""
        m.d.sync += self.wide.eq(self._beyond)

    def begin(self, m: Module, rows: Value) -> None:
        """Goes back to the first word, to walk ``rows`` rows."""
        m.d.sync += [
            self.panel.eq(self.base), self.left.eq(self._columns), self.end_of_row.eq(self._ends(self._columns)),
            self._rows_left.eq(rows), self.slot.eq(0),
        ]  # fmt: skip

    def advance(self, m: Module, slots: ValueLike) -> None:
        """Goes to the next word of the matrix; ``slots`` rows share words."""
        with m.If(self.end_of_row):
            ends = named(m, self.slot == Value.cast(slots) - 1, "slots_end")
            row = named(m, self.base + ends, "next_row")
            m.d.sync += [
                self.base.eq(row), self.panel.eq(row), self.left.eq(self._columns),
                self.end_of_row.eq(self._ends(self._columns)),
                self._rows_left.eq(self._rows_left - 1), self.slot.eq(Mux(ends, 0, self.slot + 1)),
            ]  # fmt: skip
        with m.Else():
            self.next_panel(m)

    def _ends(self, left: Value, words: int = 1) -> Value:
        """Whether ``left`` columns are in at most so many words."""
        return _each(self._chosen, self._all_lanes, lambda lanes: at_most(left, words * lanes))


def _each(chosen: Sequence[Value], bounds: Sequence[int], compare: Callable[[int], Value]) -> Value:
    """``compare`` of the bound that is ``chosen``, done once for all that are equal."""
    of_bound = {bound: compare(bound) for bound in dict.fromkeys(bounds)}
    return _of(chosen, [of_bound[bound] for bound in bounds])


def _of(chosen: Sequence[Value], values: Sequence[Any]) -> Value:
    """That of ``values`` which is ``chosen``; the last one where none of the others is."""
    *others, found = values
    for bit, value in reversed(list(zip(chosen, others, strict=False))):
        found = found if value is found or (isinstance(value, int) and value == found) else Mux(bit, value, found)
    return Value.cast(found)
