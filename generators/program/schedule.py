"""The commands of a tiled product in their order, and what each needs loaded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tilewright.generators.program.product import Product
from tilewright.generators.program.tiling import Tiling

Operand = Literal["a", "b", "start"]


class Part(NamedTuple):
    """Rows ``row`` .. and columns ``column`` .. of a matrix."""

    row: int
    column: int
    rows: int
    cols: int


class Load(NamedTuple):
    """Element number ``number`` of an operand, counted in the order of loading; of "start": that of tile ``number``.

    Of A: it is one of panel ``panel`` (see `Step`), whose rows it begins with row ``row``, and its first element or
    not.
    """

    operand: Operand
    number: int
    part: Part
    panel: int = 0
    row: int = 0
    begins_panel: bool = False


@dataclass
class Step:
    """One command: adds to tile number ``tile`` of C.

    Attributes:
        c: the tile, as a part of C.
        k: first and length along K.
        a_column: of the chunk in its element of A.
        a, b: elements that it reads.
        loads: what must be loaded for it and for no command before.
        first, last: of its tile along K.
        frees_a, frees_b: no later command reads the element.
        panel: the rows of A of a macro tile, counted each time that they are loaded.
        row: first row of the tile in its panel.
        ends_panel: it is the last command that reads from the panel.
    """

    tile: int
    c: Part
    k: tuple[int, int]
    a_column: int
    a: int
    b: int
    first: bool
    last: bool
    frees_a: bool
    frees_b: bool
    panel: int
    row: int
    ends_panel: bool
    loads: list[Load] = field(default_factory=list)


def steps(product: Product, tiling: Tiling) -> list[Step]:
    """All commands, in order."""
    return list(_Walk(product, tiling).steps())


def _cuts(first: int, end: int, size: int) -> list[tuple[int, int]]:
    """(first, length) of the pieces of ``first`` .. ``end - 1``, each ``size`` long but for the last."""
    return [(at, min(size, end - at)) for at in range(first, end, size)]


class _Walk:
    """Counts elements and tiles on the way."""

    def __init__(self, product: Product, tiling: Tiling) -> None:
        self.product, self.tiling = product, tiling
        self.loaded = {"a": 0, "b": 0}
        self.tiles = 0
        self.panel = -1
        self.panels: dict[int, int] = {}
        self.kept: dict[tuple[str, int, int], int] = {}

    def steps(self) -> Iterator[Step]:
        p, t = self.product, self.tiling
        rows, columns = _cuts(0, p.m, t.macro_m), _cuts(0, p.n, t.macro_n)
        if t.order == "mn":
            macros = [(row, column) for row in rows for column in columns]
        else:
            macros = [(row, column) for column in columns for row in rows]
        for row, column in macros:
            again_a = t.a_resident and column != columns[-1]
            again_b = t.b_resident and row != rows[-1]
            fresh_a = not t.a_resident or column == columns[0]
            fresh_b = not t.b_resident or row == rows[0]
            yield from self._macro(row, column, (fresh_a, fresh_b), (again_a, again_b))

    def _macro(
        self, row: tuple[int, int], column: tuple[int, int], fresh: tuple[bool, bool], again: tuple[bool, bool]
    ) -> Iterator[Step]:
        p, t = self.product, self.tiling
        if fresh[0]:
            self.panel += 1
            self.panels[row[0]] = self.panel
        panel = self.panels[row[0]]
        heights = _cuts(row[0], sum(row), t.tile_m)
        widths = _cuts(column[0], sum(column), t.tile_n)
        chunks = _cuts(0, p.k, t.tile_k)
        for number, chunk in enumerate(chunks):
            first, last = chunk == chunks[0], chunk == chunks[-1]
            begins_a = number % t.a_chunks == 0
            ends_a = last or (number + 1) % t.a_chunks == 0
            a_first = chunks[number - number % t.a_chunks][0]
            a_length = min(t.a_chunks * t.tile_k, p.k - a_first)
            for i, (m0, height) in enumerate(heights):
                for j, (n0, width) in enumerate(widths):
                    c = Part(m0, n0, height, width)
                    tile = self.tiles + i * len(widths) + j
                    loads: list[Load] = []
                    if i == 0 and fresh[1]:
                        self._load(loads, "b", n0, chunk[0], Part(chunk[0], n0, chunk[1], width))
                    if j == 0 and begins_a and fresh[0]:
                        part = Part(m0, a_first, height, a_length)
                        begins = (i, number) == (0, 0)
                        self._load(loads, "a", m0, a_first, part, panel, m0 - row[0], begins)
                    if first and p.start is not None:
                        loads.append(Load("start", tile, c if p.accumulate else Part(0, n0, 1, width)))
                    yield Step(
                        tile=tile,
                        c=c,
                        k=chunk,
                        a_column=chunk[0] - a_first,
                        a=self.kept["a", m0, a_first],
                        b=self.kept["b", n0, chunk[0]],
                        first=first,
                        last=last,
                        frees_a=j == len(widths) - 1 and ends_a and not again[0],
                        frees_b=i == len(heights) - 1 and not again[1],
                        panel=panel,
                        row=m0 - row[0],
                        ends_panel=last and (i, j) == (len(heights) - 1, len(widths) - 1) and not again[0],
                        loads=loads,
                    )
        self.tiles += len(heights) * len(widths)

    def _load(
        self,
        loads: list[Load],
        operand: Literal["a", "b"],
        outer: int,
        k: int,
        part: Part,
        panel: int = 0,
        row: int = 0,
        begins_panel: bool = False,
    ) -> None:
        self.kept[operand, outer, k] = self.loaded[operand]
        loads.append(Load(operand, self.loaded[operand], part, panel, row, begins_panel))
        self.loaded[operand] += 1
