"""What a processing element multiplies, and what it adds into: numbers of one kind and their arithmetic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Module, Mux, Shape, Signal, Value
from amaranth.lib.wiring import Member

from tilewright.hdl.numeric import Format
from tilewright.hdl.structure import Registered


@dataclass(frozen=True)
class Operands(ABC):
    """The arithmetic of a processing element.

    Parameters
    ----------
    x, y: Format
        Elements that travel west to east, and north to south.
    vector: int
        Elements of an operand word: every element computes a dot product of this length a cycle.
    pipeline: int
        Registers between operand register and accumulating add, 0..3.
    """

    x: Format
    y: Format
    vector: int
    pipeline: int

    def __post_init__(self) -> None:
        if not 0 <= self.pipeline <= 3:
            raise ValueError(f"pipeline must be 0..3 registers, got {self.pipeline}")
        if self.vector not in (1, 2, 4, 8, 16):
            raise ValueError(f"vector must be one of 1, 2, 4, 8, 16, got {self.vector}")

    @property
    def x_width(self) -> int:
        """Bits of a word of ``x``."""
        return self.vector * self.x.width

    @property
    def y_width(self) -> int:
        """Bits of a word of ``y``."""
        return self.vector * self.y.width

    @property
    @abstractmethod
    def sum_shape(self) -> Shape:
        """Shape of a sum."""

    @property
    def sum_width(self) -> int:
        """Bits of a sum."""
        return self.sum_shape.width

    @property
    @abstractmethod
    def wraps(self) -> bool:
        """Whether sums may be added in any order, and hence start from zero in the array."""

    @abstractmethod
    def x_words(self, values: Value, exists: Value) -> Value:
        """Words of ``x`` side by side, from values side by side and a bit for each that exists."""

    @property
    @abstractmethod
    def masks_y(self) -> bool:
        """Whether ``y_words`` needs to know what exists: where ``x_words`` alone does not tell."""

    @abstractmethod
    def y_words(self, values: Value, exists: Value) -> Value:
        """Words of ``y`` side by side, likewise."""

    @property
    def add_latency(self) -> int:
        """Cycles of `add` and the register of the sum together: 1, or more where a sum may wait for the one before."""
        return 1

    @property
    def constants(self) -> Mapping[str, Shape]:
        """Inputs that all elements share, and that do not change while the array is at work."""
        return {}

    @property
    def pins(self) -> Mapping[str, Member]:
        """Ports of an element to what it shares with its neighbour."""
        return {}

    @property
    def pair(self) -> Operands | None:
        """The same where two neighbours in a row share what multiplies; None where they do not."""
        return None

    @abstractmethod
    def term(self, m: Module, platform: Any, x: Registered, y: Registered, ports: Mapping[str, Value]) -> Any:
        """What a step adds for the words ``x`` and ``y``, ``pipeline`` cycles after they are in their registers.

        ``ports``: the element's for ``constants`` and ``pins``.
        """

    @abstractmethod
    def add(self, m: Module, start: Value, term: Any) -> Value:
        """The sum of ``start`` and ``term`` in ``sum_shape``, ``add_latency - 1`` cycles later."""

    def add_selected(
        self, m: Module, platform: Any, select: Value, selected: Value, otherwise: Value, term: Any
    ) -> Value:
        """The same of ``selected`` where ``select`` is high, and else of ``otherwise``."""
        start = Signal(self.sum_shape)
        m.d.comb += start.eq(Mux(select, selected, otherwise))
        return self.add(m, start, term)
