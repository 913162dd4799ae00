"""A product cut into pieces of C for several cores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import lcm
from typing import NamedTuple

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.candidates import dataflows, units
from tilewright.generators.program.product import Product
from tilewright.generators.program.window import window


class Piece(NamedTuple):
    """Rows ``row`` .. and columns ``column`` .. of C, as it is before it is pooled."""

    row: int
    column: int
    rows: int
    cols: int


def piece_of(product: Product, piece: Piece, channels: int | None = None) -> Product:
    """The product that makes a piece of C out of the rows of A and the columns of B that belong to it.

    ``channels``: address of the piece's own table, where the product has one.
    """
    row, column, rows, cols = piece
    if (row, column, rows, cols) == (0, 0, product.m, product.n) and channels is None:
        return product
    start, finish, stored, first = product.start, product.finish, rows, row
    if start is not None:
        start = window(start, row if product.accumulate else 0, column, rows if product.accumulate else 1, cols)
    if finish is not None:
        if finish.added is not None:
            finish = replace(finish, added=replace(finish.added, view=window(finish.added.view, *piece)))
        if finish.pool_width:
            stored, first = rows // 4, row // 4
        if finish.channels is not None and channels is not None:
            finish = replace(finish, channels=channels)
    return replace(
        product,
        a=window(product.a, row, 0, rows, product.k),
        b=window(product.b, 0, column, product.k, cols),
        c=window(product.c, first, column, stored, cols),
        start=start,
        finish=finish,
    )


def whole(product: Product) -> Piece:
    """All of C."""
    return Piece(0, 0, product.m, product.n)


@dataclass(frozen=True)
class Steps:
    """Multiples of which pieces are, those at the edges of C apart."""

    m: int
    n: int


def steps_of(product: Product, config: EngineConfig) -> list[Steps]:
    """Steps worth a look: those that fill the array, whole beats of the bus, and single rows and columns."""
    lines = 2 * product.finish.pool_width if product.finish is not None and product.finish.pool_width else 1
    beat = max(1, config.bus_bits // 8 // product.b.value_bytes)
    found: dict[Steps, None] = {}
    for dataflow in dataflows(config):
        m, n, _ = units(config, dataflow)
        found |= {Steps(lcm(m, lines), n): None, Steps(lcm(m, lines), lcm(n, beat)): None}
    found |= {Steps(lines, beat): None, Steps(lines, 1): None}
    return list(found)


def cuts(product: Product, config: EngineConfig, cores: int) -> Iterator[tuple[Piece, ...]]:
    """Ways to cut C into one piece for each core, or fewer where it is too small.

    Bands along M are cut along N, and bands along N along M. A band is as wide as the number of its cores tells; so
    any number of cores gets pieces of the same size, up to a step, and near to squares in one of the ways.
    """
    seen: set[tuple[Piece, ...]] = set()
    for step in steps_of(product, config):
        for bands in range(1, cores + 1):
            counts = [cores // bands + (band < cores % bands) for band in range(bands)]
            for along_m in (True, False):
                pieces = tuple(_bands(product, step, counts, along_m=along_m))
                if pieces not in seen:
                    seen.add(pieces)
                    yield pieces


def _bands(product: Product, step: Steps, counts: list[int], *, along_m: bool) -> Iterator[Piece]:
    sizes = ((product.m, step.m), (product.n, step.n))
    (outer, outer_step), (inner, inner_step) = sizes if along_m else reversed(sizes)
    for (first, length), cores in zip(_parts(outer, counts, outer_step), counts, strict=True):
        for at, size in _parts(inner, [1] * cores, inner_step):
            if length and size:
                yield Piece(first, at, length, size) if along_m else Piece(at, first, size, length)


def _parts(total: int, weights: list[int], step: int) -> list[tuple[int, int]]:
    """(first, length) of parts of ``total`` in proportion to ``weights``, in whole steps."""
    steps, weight = -(-total // step), sum(weights)
    ends, passed = [0], 0
    for each in weights:
        passed += each
        ends.append(min(total, round(steps * passed / weight) * step))
    return [(low, high - low) for low, high in pairwise(ends)]


def blocks(product: Product, rows: int, cols: int) -> list[Piece]:
    """C cut into blocks of one size, those at its edges smaller, row by row."""
    return [
        Piece(row, column, min(rows, product.m - row), min(cols, product.n - column))
        for row in range(0, product.m, rows)
        for column in range(0, product.n, cols)
    ]
