"""How a matrix lies in a scratchpad."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.utils import ceil_log2


@dataclass(frozen=True)
class Geometry:
    """A scratchpad of ``words`` words of ``lanes`` elements.

    An element is ``slots`` values of ``width`` bits that lie together (a dot product's vector along K). Element
    *(i, j)* of a matrix with *X* rows of *Y* elements, stored at ``base``, is in lane ``j mod lanes`` (``banked``:
    in bank ``(i + j) mod lanes``) of word ``base + (j div lanes) * X + i``: panels of ``lanes`` columns, one word a
    row. A matrix occupies ``X * ceil(Y / lanes)`` words. Banked scratchpads, whose lanes are a power of two, have an
    address per bank and give ``lanes`` elements of a row or of a column in one access; others give a row's only.
    """

    words: int
    lanes: int
    banked: bool
    width: int
    slots: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.words <= 65536:
            raise ValueError(f"scratchpad must have 1..65536 words, got {self.words}")
        if self.banked and self.lanes & (self.lanes - 1):
            raise ValueError(f"banks must be a power of two, got {self.lanes}")

    @property
    def element_width(self) -> int:
        """Bits of an element, all slots."""
        return self.width * self.slots

    @property
    def word_width(self) -> int:
        """Bits of a word, all lanes."""
        return self.element_width * self.lanes

    @property
    def address_bits(self) -> int:
        """Bits of a word address."""
        return max(1, ceil_log2(self.words))

    @property
    def lane_bits(self) -> int:
        """Bits of a lane number."""
        return ceil_log2(self.lanes)

    @property
    def rotate_stages(self) -> int:
        """Registers in the rotator: one for two levels of multiplexers."""
        return (self.lane_bits + 1) // 2 if self.banked else 0

    @property
    def read_latency(self) -> int:
        """Cycles from a read request to its data."""
        return 2 + self.rotate_stages if self.banked else 1

    @property
    def read_edge(self) -> int:
        """Cycles from a read request to the cycle at whose end the memory is read."""
        return 1 if self.banked else 0

    @property
    def write_latency(self) -> int:
        """Cycles from a write request to the cycle at whose end the memory is written."""
        return max(1, self.rotate_stages) if self.banked else 0

    def panels(self, columns: int) -> int:
        """Words that one row of ``columns`` elements occupies."""
        return -(-columns // self.lanes)
