"""Tilings worth a look: as large as the scratchpads allow, cut evenly, and somewhat smaller."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product as combinations
from math import lcm

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.product import Product
from tilewright.generators.program.tiling import TOKEN_LIMIT, Order, Places, Tiling, objections

STAGES = 8  # of an operand that is not resident
WIDTHS = 12  # a tile is this part smaller than the next wider one, at least
SMALL = 8  # rows of an element of A that might be deeper
ACROSS = ((1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (1, 3), (4, 1), (1, 4))
_DATAFLOWS = {"any": ("ws", "os", "is")}


def dataflows(config: EngineConfig) -> tuple[str, ...]:
    """What the engine's core can do."""
    return _DATAFLOWS.get(config.dataflow, (config.dataflow,))


def units(config: EngineConfig, dataflow: str) -> tuple[int, int, int]:
    """Steps of M, N and K in which commands of a dataflow fill the array."""
    along_k = config.rows * config.vector
    return {
        "ws": (1, config.cols, along_k),
        "os": (config.rows, config.cols, config.vector),
        "is": (config.cols, 1, along_k),
    }[dataflow]


def even(total: int, parts: int, unit: int) -> int:
    """The size of a part when ``total`` is cut evenly into at most ``parts``, in whole units."""
    return -(-total // (parts * unit)) * unit


def candidates(product: Product, config: EngineConfig) -> Iterator[Tiling]:
    """Tilings for the planner to choose from; all are legal."""
    room = Places(config)
    special = product.finish is not None and (product.finish.b_zero or product.finish.pool_width)
    for dataflow, (across_m, across_n) in combinations(dataflows(config), ACROSS):
        if (across_m > 1 and product.m == 1) or (across_n > 1 and product.n == 1):
            continue
        tiles = across_m * across_n
        for places in (2,) if tiles == 1 else (tiles, 2 * tiles):
            for tiling in _with_places(product, room, dataflow, (across_m, across_n), places):
                if not special or not objections(tiling, product, config):
                    yield tiling


def _with_places(
    product: Product, room: Places, dataflow: str, across: tuple[int, int], places: int
) -> Iterator[Tiling]:
    pads, (unit_m, unit_n, _) = room.pads, units(room.config, dataflow)
    in_region = -(-places // pads.c.regions)
    height = min(pads.c.words // in_region - product.has_bias, pads.a.words)
    if product.finish is not None and product.finish.pool_width:
        lines = 2 * product.finish.pool_width
        unit_m = lcm(unit_m, lines) if lcm(unit_m, lines) <= height else lines
    if height < 1:
        return
    widest = min(pads.c.words // in_region // (1 + product.has_bias) * pads.c.lanes, 65_535)
    for tile_n in _widths(product.n, unit_n, widest):
        panels = -(-tile_n // pads.c.lanes)
        tallest = min(pads.c.words // in_region // panels - product.has_bias, pads.a.words, 65_535)
        for tile_m in _sizes(product.m, across[0], unit_m, tallest, (4, 5, 6, 8, 16)):
            for tile_k in _depths(product, room, dataflow, tile_m, tile_n):
                yield from _with_tile(product, room, dataflow, across, places, (tile_m, tile_n, tile_k))


def _widths(total: int, unit: int, largest: int) -> list[int]:
    """All sizes of even cuts, each a twelfth smaller than the one before, at least."""
    sizes: list[int] = []
    parts = -(-total // max(largest // unit * unit, 1))
    while True:
        size = min(even(total, parts, unit), total)
        if size <= largest and (not sizes or size * WIDTHS <= sizes[-1] * (WIDTHS - 1)):
            sizes.append(size)
        if size <= unit:
            return sizes or [largest]
        # The next count of parts that makes them smaller.
        parts = max(parts + 1, -(-total // (size - unit)))


def _sizes(total: int, across: int, unit: int, largest: int, quarters: Sequence[int]) -> list[int]:
    """Sizes of tiles: an even cut with as few macro tiles as ``largest`` allows, and with more of them.

    ``quarters``: how many more, in quarters for cuts that are already fine, and one by one for coarse ones.
    """
    if largest < 1:
        return []
    fewest = -(-total // (across * max(largest // unit * unit, 1)))
    parts = {max(fewest + step, fewest * quarter // 4) for step, quarter in enumerate(quarters)}
    sizes = {min(even(total, count * across, unit), total) for count in parts}
    return sorted((size for size in sizes if 1 <= size <= largest), reverse=True)


def _depths(product: Product, room: Places, dataflow: str, tile_m: int, tile_n: int) -> list[int]:
    """Lengths of chunks of K."""
    config, pads = room.config, room.pads
    unit = units(config, dataflow)[2]
    a_panels = pads.a.words // (2 * tile_m)
    b_groups = pads.b.words // (2 * -(-tile_n // pads.b.lanes))
    longest = config.vector * min(a_panels * pads.a.lanes, b_groups)
    if product.k <= config.vector * min(pads.a.words // tile_m * pads.a.lanes, 2 * b_groups):
        longest = max(longest, product.k)  # all of K at once may stay
    whole_beats = lcm(unit, max(1, config.bus_bits // 8 // product.a.value_bytes))
    found: set[int] = set()
    steps = {unit, whole_beats}
    if tile_m <= SMALL:
        steps.add(config.vector * pads.a.lanes)  # deep elements of A
    for step in sorted(steps):
        found |= set(_sizes(product.k, 1, step, min(longest, 65_535), (4, 5, 6, 8, 12, 16, 32)))
    return sorted(found, reverse=True)


def _with_tile(
    product: Product,
    room: Places,
    dataflow: str,
    across: tuple[int, int],
    c_places: int,
    tile: tuple[int, int, int],
) -> Iterator[Tiling]:
    orders: tuple[Order, ...] = ("mn", "nm")
    chunks = -(-product.k // tile[2])
    for a_chunks in _deep(product, room, tile):
        base = Tiling(dataflow, "mn", *tile, *across, a_chunks, c_places=c_places)
        rooms = room.stages(base, bias=product.has_bias)
        if rooms[2] < c_places or min(rooms[:2]) < 1:
            continue
        loads = (-(-product.m // tile[0]) * -(-chunks // a_chunks), -(-product.n // tile[1]) * chunks)
        for order, a_resident, b_resident in combinations(orders, (False, True), (False, True)):
            if order == "nm" and not (a_resident or b_resident):
                continue  # the other order moves as much
            tiling = replace(base, order=order, a_resident=a_resident, b_resident=b_resident)
            stages = _stages(rooms, tiling.elements_kept(product), (a_resident, b_resident), loads)
            if stages is not None:
                yield replace(tiling, a_stages=stages[0], b_stages=stages[1])


def _deep(product: Product, room: Places, tile: tuple[int, int, int]) -> list[int]:
    """Chunks of K in an element of A: 1, and where that is small, as many as half a scratchpad holds."""
    lanes, vector = room.pads.a.lanes, room.config.vector
    chunks = -(-product.k // tile[2])
    if chunks == 1 or tile[2] % (vector * lanes) or tile[0] > SMALL:
        return [1]
    words = tile[0] * tile[2] // (vector * lanes)
    return sorted({1, max(1, min(chunks, room.pads.a.words // (2 * words)))})


def _stages(
    rooms: tuple[int, int, int], kept: tuple[int, int], resident: tuple[bool, bool], loads: tuple[int, int]
) -> list[int] | None:
    """Places of A and of B; None where there are too few."""
    stages = []
    for room, keep, stays, elements in zip(rooms[:2], kept, resident, loads, strict=True):
        most = min(room, TOKEN_LIMIT if stays else max(STAGES, 2 * keep), elements)
        if most < keep or (not stays and most < min(keep + 1, elements)):
            return None
        stages.append(most)
    return stages
