"""What a tiled product moves over the bus, by formula."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.channel_table import channel_table
from tilewright.generators.program.layout import INSTRUCTION_BYTES
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import View
from tilewright.generators.program.tiling import Tiling


@dataclass(frozen=True)
class Amount:
    """Runs, and beats of the bus, of a matrix that is moved in parts."""

    runs: int
    beats: int

    def times(self, factor: int) -> Amount:
        """The same, ``factor`` times."""
        return Amount(self.runs * factor, self.beats * factor)


def by_columns(view: View, width: int, bus_bytes: int) -> Amount:
    """A matrix moved in parts of ``width`` columns. Into how many parts the rows are cut makes no difference."""
    runs = beats = 0
    whole, rest = divmod(view.cols, width)
    pieces = [(at * width, width) for at in range(whole)] + ([(whole * width, rest)] if rest else [])
    for column, cols in pieces:
        more_runs, more_beats = view.transfers(0, column, view.rows, cols, bus_bytes)
        runs, beats = runs + more_runs, beats + more_beats
    return Amount(runs, beats)


NOTHING = Amount(0, 0)


@dataclass(frozen=True)
class Traffic:
    """What crosses the bus: ``a``, ``b``, ``start``, ``channels`` and the program are read, ``c`` is written.

    With P_A and P_B passes (`Tiling.passes`):

    - A is read P_A times in columns of ``a_chunks * tile_k``, B is read P_B times in columns of ``tile_n``;
    - C is written once in columns of ``tile_n``; an old C is read the same way;
    - a bias row is read in columns of ``tile_n``, ceil(M / tile_m) times;
    - a table of channels is read once; a matrix that is added in columns of ``tile_n``.

    Each run of values in memory takes the beats that it touches. Where runs that follow each other in memory share a
    beat, the engine may move it once for both: then it moves less. The program takes 64 bytes an instruction.
    """

    a: Amount
    b: Amount
    start: Amount
    c: Amount
    instructions: int
    bus_bytes: int
    channels: Amount = NOTHING
    added: Amount = NOTHING

    @property
    def tensor_bytes(self) -> int:
        """Bytes of matrices, in whole beats."""
        moved = (self.a, self.b, self.start, self.channels, self.added, self.c)
        return sum(amount.beats for amount in moved) * self.bus_bytes

    @property
    def program_bytes(self) -> int:
        """Bytes of instructions."""
        return self.instructions * INSTRUCTION_BYTES


def traffic(product: Product, tiling: Tiling, config: EngineConfig) -> Traffic:
    """The traffic of the program of ``product`` with ``tiling``."""
    bus_bytes = config.bus_bits // 8
    a_passes, b_passes = tiling.passes(product)
    start = NOTHING
    tiles_m = -(-product.m // tiling.tile_m)
    if product.start is not None:
        rows = 1 if product.accumulate else tiles_m
        start = by_columns(product.start, tiling.tile_n, bus_bytes).times(rows)
    return Traffic(
        a=by_columns(product.a, tiling.a_chunks * tiling.tile_k, bus_bytes).times(a_passes),
        b=by_columns(product.b, tiling.tile_n, bus_bytes).times(b_passes),
        start=start,
        c=by_columns(product.c, tiling.tile_n, bus_bytes),
        instructions=instructions(product, tiling),
        bus_bytes=bus_bytes,
        channels=of_channels(product, tiling, config),
        added=of_added(product, tiling, config),
    )


def of_added(product: Product, tiling: Tiling, config: EngineConfig) -> Amount:
    """The matrix that is added, where there is one."""
    if product.finish is None or product.finish.added is None:
        return NOTHING
    return by_columns(product.finish.added.view, tiling.tile_n, config.bus_bits // 8)


def of_channels(product: Product, tiling: Tiling, config: EngineConfig) -> Amount:
    """The table of channels, where there is one."""
    table = channel_table(product, tiling, config)
    return NOTHING if table is None else by_columns(table, table.cols, config.bus_bits // 8)


def instructions(product: Product, tiling: Tiling) -> int:
    """Instructions of the program.

    A command for each tile and chunk of K, a load for each element and pass, a store for each tile, a load of its
    start values; a description of each tensor, a FINISH where there is one (where channels or the sums of
    rows differ one for each tile; a load of a table of channels, of what is added to each tile, their
    descriptions), END.
    """
    tiles_m, tiles_n = -(-product.m // tiling.tile_m), -(-product.n // tiling.tile_n)
    chunks, deep_chunks = -(-product.k // tiling.tile_k), -(-product.k // (tiling.a_chunks * tiling.tile_k))
    a_passes, b_passes = tiling.passes(product)
    tiles = tiles_m * tiles_n
    loads = deep_chunks * tiles_m * a_passes + chunks * tiles_n * b_passes
    has_start = product.start is not None
    finishes = 0
    if product.finish is not None:
        f = product.finish
        finishes = tiles if f.channels is not None or f.b_zero else 1
        finishes += 2 * (f.channels is not None) + (tiles + 1) * (f.added is not None)
    return loads + tiles * (chunks + 1 + has_start) + 4 + has_start + finishes
