"""What a tiled product moves over the bus, by formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.channel_table import channel_table, function_table
from tilewright.generators.program.layout import INSTRUCTION_BYTES
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import View
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.program.transposed import Transposed


@dataclass(frozen=True)
class Amount:
    """Runs, and beats of the bus, of a matrix that is moved in parts."""

    runs: int
    beats: int

    def times(self, factor: int) -> Amount:
        """The same, ``factor`` times."""
        return Amount(self.runs * factor, self.beats * factor)


def by_parts(view: View, height: int, width: int, bus_bytes: int, longest: int) -> Amount:
    """A matrix moved in parts of ``height`` x ``width``; ``longest``: bytes of the longest burst.

    Into how many parts the rows are cut makes no difference where they do not follow each other in memory.
    """
    runs = beats = 0
    for column, cols in _pieces(view.cols, width):
        rows = height if view.rows_follow(cols) else view.rows
        for row, count in _pieces(view.rows, rows):
            more_runs, more_beats = view.transfers(row, column, count, cols, bus_bytes, longest)
            runs, beats = runs + more_runs, beats + more_beats
    return Amount(runs, beats)


def _pieces(total: int, size: int) -> Iterator[tuple[int, int]]:
    """(first, length) of the pieces of ``total``."""
    return ((at, min(size, total - at)) for at in range(0, total, size))


NOTHING = Amount(0, 0)


@dataclass(frozen=True)
class Traffic:
    """What crosses the bus: ``a``, ``b``, ``start``, ``channels`` and the program are read, ``c`` is written.

    With P_A and P_B passes (`Tiling.passes`):

    - A is read P_A times in parts of ``tile_m`` x ``a_chunks * tile_k``;
    - B is read P_B times in parts of ``tile_k`` x ``tile_n``;
    - C is written once in parts of ``tile_m`` x ``tile_n``; an old C is read the same way;
    - a bias row is read in columns of ``tile_n``, ceil(M / tile_m) times;
    - a table, of channels or of a function, is read once; a matrix that is added in parts of ``tile_m`` x ``tile_n``.

    Each run of values in memory takes the beats that it touches. Runs of a part that follow each other in memory take
    those that they touch together, up to 8 of them. The program takes 64 bytes an instruction.
    """

    a: Amount
    b: Amount
    start: Amount
    c: Amount
    instructions: int
    bus_bytes: int
    channels: Amount = NOTHING
    added: Amount = NOTHING
    table: Amount = NOTHING

    @property
    def tensor_bytes(self) -> int:
        """Bytes of matrices, in whole beats."""
        moved = (self.a, self.b, self.start, self.channels, self.added, self.table, self.c)
        return sum(amount.beats for amount in moved) * self.bus_bytes

    @property
    def program_bytes(self) -> int:
        """Bytes of instructions."""
        return self.instructions * INSTRUCTION_BYTES


def traffic(product: Product, tiling: Tiling, config: EngineConfig) -> Traffic:
    """The traffic of the program of ``product`` with ``tiling``."""
    return TrafficOf(product, config)(tiling)


class TrafficOf:
    """The traffic of one product, tiling by tiling; amounts that several tilings share are worked out once."""

    def __init__(self, product: Product, config: EngineConfig) -> None:
        self.product, self.config = product, config
        self._moved = lru_cache(maxsize=None)(self._in_parts)

    def __call__(self, tiling: Tiling) -> Traffic:
        """That of a tiling."""
        p, bus_bytes = self.product, self.config.bus_bits // 8
        a_passes, b_passes = tiling.passes(p)
        start = added = NOTHING
        pooled = 4 if p.finish is not None and p.finish.pool_width else 1
        if p.start is not None:
            rows = 1 if p.accumulate else -(-p.m // tiling.tile_m)
            start = self._moved("start", tiling.tile_m if p.accumulate else 1, tiling.tile_n).times(rows)
        if p.finish is not None and p.finish.added is not None:
            added = self._moved("added", tiling.tile_m, tiling.tile_n)
        return Traffic(
            a=self._moved("a", tiling.tile_m, tiling.a_chunks * tiling.tile_k).times(a_passes),
            b=self._moved("b", tiling.tile_k, tiling.tile_n).times(b_passes),
            start=start,
            c=self._moved("c", tiling.tile_m // pooled, tiling.tile_n),
            instructions=instructions(p, tiling),
            bus_bytes=bus_bytes,
            channels=self._table(channel_table(p, tiling, self.config)),
            added=added,
            table=self._table(function_table(p, self.config)),
        )

    def _table(self, table: View | None) -> Amount:
        if table is None:
            return NOTHING
        return by_parts(table, table.rows, table.cols, self.config.bus_bits // 8, self.config.longest_burst)

    def _in_parts(self, name: str, height: int, width: int) -> Amount:
        finish = self.product.finish
        view: View = finish.added.view if name == "added" and finish and finish.added else getattr(self.product, name)
        return by_parts(view, height, width, self.config.bus_bits // 8, self.config.longest_burst)


def instructions(product: Product, tiling: Tiling) -> int:
    """Instructions of the program.

    A command for each tile and chunk of K, a load for each element and pass, or for each of its blocks that are turned,
    a store for each tile, a load of its start values; a description of each tensor, a FINISH where there is one (where
    channels or the sums of rows differ one for each tile; a load of each table, of what is added to each tile, their
    descriptions), END.
    """
    tiles_m, tiles_n = -(-product.m // tiling.tile_m), -(-product.n // tiling.tile_n)
    chunks, tiles = -(-product.k // tiling.tile_k), tiles_m * tiles_n
    a_passes, b_passes = tiling.passes(product)
    loads = a_passes * loads_of(product.a, tiling.tile_m, tiling.a_chunks * tiling.tile_k)
    loads += b_passes * loads_of(product.b, tiling.tile_k, tiling.tile_n)
    has_start = product.start is not None
    finishes = 0
    if product.finish is not None:
        f = product.finish
        finishes = tiles if f.channels is not None or f.b_zero else 1
        finishes += 2 * ((f.channels is not None) + (f.table is not None)) + (tiles + 1) * (f.added is not None)
    return loads + tiles * (chunks + 1 + has_start) + 4 + has_start + finishes


def loads_of(view: View, height: int, width: int) -> int:
    """Loads of a matrix in parts of ``height`` x ``width``, of which a transposer turns blocks."""
    if not (isinstance(view, Transposed) and view.block):
        return -(-view.rows // height) * -(-view.cols // width)
    down = sum(-(-rows // view.block) for _, rows in _pieces(view.rows, height))
    return down * sum(-(-cols // view.wide) for _, cols in _pieces(view.cols, width))
