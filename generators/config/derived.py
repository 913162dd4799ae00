"""Values that follow from a configuration: widths, and the geometry of the scratchpads (the layout contract).

With ``vector`` V the K dimension is counted in groups, KG = ceil(K / V): A is M x KG elements of V operands, B is
KG x N elements of V operands, C is M x N accumulators, the bias 1 x N. In a memory with L lanes each row of an X x Y
matrix takes ceil(Y / L) words. A memory that is read along one dimension only has one address (``banks`` = 1); one
that is read both ways has L banks with an address each, element (i, j) in bank (i + j) mod L, L a power of two.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.hdl.numeric import Format, IntFormat, code_format, dot_bits

C_REGIONS = 2  # one is read out and loaded while the array works in the other


@dataclass(frozen=True)
class Scratchpad:
    """Geometry of one operand memory, or of one region of the C memory.

    ``lanes`` elements of ``element_bits`` stand side by side, ``words`` deep, in ``banks`` separately addressed
    memories (1: a wide word). ``regions`` such memories exist.
    """

    lanes: int
    banks: int
    words: int
    element_bits: int
    regions: int = 1

    @property
    def word_bits(self) -> int:
        """Bits read by one address: a whole row of lanes, or one element where banked."""
        return self.lanes // self.banks * self.element_bits

    @property
    def bits(self) -> int:
        """Storage of all banks and regions, in bits."""
        return self.lanes * self.element_bits * self.words * self.regions


@dataclass(frozen=True)
class Scratchpads:
    """Geometry of the three memories of a core."""

    a: Scratchpad
    b: Scratchpad
    c: Scratchpad

    @property
    def bits(self) -> int:
        """Storage of the whole core, in bits."""
        return self.a.bits + self.b.bits + self.c.bits


def product_bits(a: IntFormat, b: IntFormat) -> int:
    """Bits of the narrowest signed format that holds every product of an ``a`` and a ``b``."""
    return dot_bits(a, b, 1)


def vector_sum_bits(a: IntFormat, b: IntFormat, vector: int) -> int:
    """Bits of the narrowest signed format that holds every dot product of ``vector`` elements: one step of a PE."""
    return dot_bits(a, b, vector)


def column_sum_bits(a: IntFormat, b: IntFormat, acc: IntFormat, rows: int, vector: int, *, saturate: bool) -> int:
    """Bits of the partial sum that descends a column of a weight- or input-stationary array of ``rows`` PEs.

    As narrow as is exact for one fold, never wider than ``acc``; ``acc`` itself where every step saturates.
    """
    return acc.width if saturate else min(acc.width, dot_bits(a, b, rows * vector))


def nearest_accumulator(bits: int) -> IntFormat:
    """The narrowest accumulator format, of 8..64 bits, that holds ``bits`` bits; the widest where none does."""
    return IntFormat(min(64, max(8, bits)))


def next_power_of_two(number: int) -> int:
    """The smallest power of two that is at least ``number`` (1 or more)."""
    return 1 << (number - 1).bit_length()


def lanes(dataflow: str, rows: int, cols: int) -> dict[str, tuple[int, bool]]:
    """(lanes, banked) of memories "a", "b" and "c" of a ``rows`` x ``cols`` core."""
    by_rows, by_cols = (next_power_of_two(rows), True), (next_power_of_two(cols), True)
    by_both = (next_power_of_two(max(rows, cols)), True)
    return {
        "ws": {"a": (rows, False), "b": (cols, False), "c": (cols, False)},
        "os": {"a": by_rows, "b": (cols, False), "c": (cols, False)},
        "is": {"a": by_cols, "b": by_rows, "c": by_cols},
        "any": {"a": by_both, "b": by_both, "c": by_cols},
    }[dataflow]


def matrix_words(height: int, width: int, lanes: int) -> int:
    """Words that a row-major ``height`` x ``width`` matrix takes in a memory of ``lanes`` lanes."""
    return height * -(-width // lanes)


def scratchpads(
    *,
    dataflow: str,
    rows: int,
    cols: int,
    vector: int,
    a: Format,
    b: Format,
    acc: Format,
    max_m: int,
    max_n: int,
    max_k: int,
    a_words: int | None = None,
    b_words: int | None = None,
    c_words: int | None = None,
) -> Scratchpads:
    """Memories that hold A of M x K, B of K x N and, per region of C, M x N and one bias row.

    ``a_words``, ``b_words`` and ``c_words`` (words per bank; per region for C) stand in for the depths so computed.
    """
    groups = -(-max_k // vector)
    widths = lanes(dataflow, rows, cols)

    def memory(name: str, height: int, width: int, words: int | None, bits: int, regions: int = 1) -> Scratchpad:
        count, banked = widths[name]
        depth = matrix_words(height, width, count) if words is None else words
        return Scratchpad(count, count if banked else 1, depth, bits, regions)

    return Scratchpads(
        memory("a", max_m, groups, a_words, vector * code_format(a).width),
        memory("b", groups, max_n, b_words, vector * code_format(b).width),
        memory("c", max_m + 1, max_n, c_words, code_format(acc).width, C_REGIONS),
    )
