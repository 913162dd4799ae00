"""Parameters of a GEMM core, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tilewright.hdl.arith import Overflow
from tilewright.hdl.arith.targets import Target
from tilewright.hdl.memory import Geometry
from tilewright.hdl.memory.ice40_ram import CELLS, cells_of
from tilewright.hdl.numeric import FloatFormat, Format, FxFormat, IntFormat, code_format, common_format, dot_bits
from tilewright.hdl.pe import (
    Element,
    FlexibleElement,
    FloatOperands,
    IntegerOperands,
    Operands,
    OutputElement,
    SeededFlexibleElement,
    SeededOutputElement,
    StationaryElement,
    SteppedElement,
    WindowOperands,
)
from tilewright.hdl.structure.enumeration import IntEnum


class Dataflow(IntEnum, shape=2):
    """What stays in the processing elements; the numbers are those of the command."""

    WS = 0
    OS = 1
    IS = 2


@dataclass(frozen=True)
class CoreParameters:
    """Everything that distinguishes one core from another.

    Parameters
    ----------
    rows, cols: int
        Processing elements, 1..256 each.
    dataflow: "ws", "os", "is" or "any"
    a, b: Format
        Elements of A (M x K) and B (K x N): integers both or floats both.
    acc: Format
        Elements of C (M x N): a signed integer, or for floats fp32 or a window.
    overflow: "wrap" or "saturate"
        Of integers.
    pipeline, vector: int
        See `Operands`.
    a_words, b_words, c_words: int
        Scratchpad words; ``c_words`` for each of the two regions.
    add_latency: int
        Cycles of the accumulating add of fp32; 1 for all else.
    in_flight: int
        Commands that are taken before the first of them is answered: 2 or 4, or 1 where weights stay.
    target: Target
        Whose multipliers elements of integers have.
    """

    rows: int
    cols: int
    dataflow: Literal["ws", "os", "is", "any"]
    a: Format
    b: Format
    acc: Format
    overflow: Overflow
    pipeline: int
    vector: int
    a_words: int
    b_words: int
    c_words: int
    add_latency: int = 1
    in_flight: int = 4
    target: Target = "generic"

    def __post_init__(self) -> None:
        for name, low, high in (("rows", 1, 256), ("cols", 1, 256)):
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} must be {low}..{high}, got {getattr(self, name)}")
        if self.dataflow not in ("ws", "os", "is", "any"):
            raise ValueError(f"dataflow must be ws, os, is or any, got {self.dataflow!r}")
        if self.in_turn and self.dataflow != "ws":
            raise ValueError(f"dataflow must be ws where one command is in flight, got {self.dataflow!r}")
        if isinstance(self.acc, IntFormat) and not self.acc.signed:
            raise ValueError(f"acc must be signed, got {self.acc}")

    @cached_property
    def dataflows(self) -> tuple[Dataflow, ...]:
        """The dataflows that a command may ask for."""
        return tuple(Dataflow) if self.dataflow == "any" else (Dataflow[self.dataflow.upper()],)

    def has(self, *dataflows: Dataflow) -> bool:
        """Whether the core can do any of ``dataflows``."""
        return any(d in self.dataflows for d in dataflows)

    @property
    def in_turn(self) -> bool:
        """Whether commands and transfers are done one at a time."""
        return self.in_flight == 1

    @property
    def seeded(self) -> bool:
        """Whether sums start from C inside the array (the order of steps matters), not at its foot."""
        return not self.operands.wraps

    @cached_property
    def element(self) -> Element:
        """The processing element."""
        if self.dataflow == "os":
            return SeededOutputElement(self.operands) if self.seeded else OutputElement(self.operands)
        if self.dataflow == "any":
            return SeededFlexibleElement(self.operands) if self.seeded else FlexibleElement(self.operands)
        return SteppedElement(self.operands) if self.add_latency > 1 else StationaryElement(self.operands)

    @cached_property
    def operands(self) -> Operands:
        """The arithmetic of the processing element; ``x`` and ``y`` are A and B, or B and A, or one format for both."""
        a, b = self.a, self.b
        if isinstance(a, IntFormat) and isinstance(b, IntFormat):
            return self._integers(a, b)
        assert isinstance(a, FloatFormat) and isinstance(b, FloatFormat)
        x, y = (b, a) if self.dataflow == "is" else (a, b)
        if self.dataflow == "any" and a != b:
            x = y = common_format(a, b)
        if isinstance(self.acc, FxFormat):
            return WindowOperands(x, y, self.vector, self.pipeline, self.acc)
        return FloatOperands(x, y, self.vector, self.pipeline, self.add_latency)

    @property
    def interleaves(self) -> bool:
        """Whether output-stationary tiles go on by turns, because their sums wait for the add before."""
        return self.dataflow == "os" and self.add_latency > 1

    @property
    def has_point(self) -> bool:
        """Whether accumulators are windows, whose binary point each command tells."""
        return isinstance(self.acc, FxFormat)

    def _integers(self, a: IntFormat, b: IntFormat) -> IntegerOperands:
        x, y = (b, a) if self.dataflow == "is" else (a, b)
        dot_width = 0
        if self.dataflow == "any" and a != b:
            dot_width = dot_bits(a, b, self.vector)
            x = y = IntFormat(max(f.width + (not f.signed) for f in (a, b)))
        width = self.acc.width
        if self.dataflow in ("ws", "is") and self.overflow == "wrap":
            width = min(width, dot_bits(a, b, self.vector * self.rows))
        return IntegerOperands(x, y, self.vector, self.pipeline, width, self.overflow, dot_width, self.target)

    @cached_property
    def a_memory(self) -> Geometry:
        """A: loaded along K; read along K (WS), along M (OS, IS). Elements are ``vector`` values along K."""
        lanes = {"ws": self.rows, "os": self.rows, "is": self.cols, "any": max(self.rows, self.cols)}[self.dataflow]
        return self._geometry(self.a_words, lanes, self.dataflow != "ws", self.a.width, self.vector)

    @cached_property
    def b_memory(self) -> Geometry:
        """B: loaded along N; read along N (WS, OS), along K (IS). Elements are ``vector`` values along K."""
        lanes = {"ws": self.cols, "os": self.cols, "is": self.rows, "any": max(self.rows, self.cols)}[self.dataflow]
        return self._geometry(self.b_words, lanes, self.dataflow in ("is", "any"), self.b.width, self.vector)

    @property
    def has_single_ports(self) -> bool:
        """Whether A and B lie in single-port RAMs of the target: they are not written while the core computes."""
        memories = (self.a_memory, self.b_memory)
        cells = sum(cells_of(g.words, g.word_width) for g in memories)
        return self.target == "ice40" and self.in_turn and self.vector == 1 and cells <= CELLS

    @property
    def skew_memories(self) -> int:
        """Lanes of each skew of the array that wait in memories, of which an iCE40 has more than it has logic."""
        return 4 if self.target == "ice40" else 0

    @cached_property
    def c_memory(self) -> Geometry:
        """One region of C: loaded, read out and written along N; along M in IS."""
        return self._geometry(self.c_words, self.cols, self.dataflow in ("is", "any"), self.acc_bits, 1)

    @property
    def acc_bits(self) -> int:
        """Bits of an element of C."""
        return code_format(self.acc).width

    @staticmethod
    def _geometry(words: int, lanes: int, banked: bool, width: int, slots: int) -> Geometry:
        return Geometry(words, 1 << (lanes - 1).bit_length() if banked else lanes, banked, width, slots)

    @cached_property
    def largest(self) -> dict[str, int]:
        """The largest ``m``, ``n``, ``k`` and ``kg`` (groups along K) that fit, each beside others of 1."""
        a, b, c = self.a_memory, self.b_memory, self.c_memory
        kg = min(b.words, a.words * a.lanes)
        found = {"m": min(a.words, c.words), "n": min(b.words * b.lanes, c.words * c.lanes), "k": kg * self.vector}
        return {name: min(extent, 65535) for name, extent in (found | {"kg": kg}).items()}

    @property
    def extent_bits(self) -> int:
        """Bits of the largest extent of a command, and of ``rows``."""
        return max(*self.largest.values(), self.rows).bit_length()

    @cached_property
    def tile_bits(self) -> int:
        """Bits of the largest step that a loop makes."""
        return max(self.rows * self.vector, self.cols).bit_length()

    @cached_property
    def operand_offset(self) -> int:
        """Cycles from a sequencer's step until its operands enter the array (``x`` of OS steps in `any`: plus 1)."""
        return 1 + max(self.a_memory.read_latency, self.b_memory.read_latency)
