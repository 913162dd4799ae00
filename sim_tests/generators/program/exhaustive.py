"""The least that any legal tiling moves, by trying all of them."""

from __future__ import annotations

from itertools import product as combinations

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.product import Product
from tilewright.generators.program.tiling import Order, Places, Tiling, objections
from tilewright.generators.program.traffic import traffic

ORDERS: tuple[Order, ...] = ("mn", "nm")


def least_traffic(product: Product, config: EngineConfig, dataflow: str) -> tuple[int, Tiling]:
    """(bytes of matrices, a tiling that moves so few) among all tilings that load the next element while one is used.

    Places beyond what a tiling needs move nothing, and neither does the number of tiles of a macro tile beyond its
    size: so all sizes of tiles and chunks are tried, each with as many tiles side by side as C has room for.
    """
    best: tuple[int, Tiling] | None = None
    places, m, n, k = Places(config), product.m, product.n, product.k
    for tile_m, tile_n, tile_k in combinations(range(1, m + 1), range(1, n + 1), range(1, k + 1)):
        chunks = -(-k // tile_k)
        for a_chunks in range(1, chunks + 1 if tile_k % (config.scratchpads.a.lanes * config.vector) == 0 else 2):
            one = Tiling(dataflow, "mn", tile_m, tile_n, tile_k, a_chunks=a_chunks)
            rooms = places.stages(one, bias=product.has_bias)
            if min(rooms) < 1:
                continue
            loads = (-(-m // tile_m) * -(-chunks // a_chunks), -(-n // tile_n) * chunks)
            for across_m in range(1, min(rooms[2], -(-m // tile_m)) + 1):
                across = across_m, min(rooms[2] // across_m, -(-n // tile_n))
                for order, *stays in combinations(ORDERS, (False, True), (False, True)):
                    stages = [min(63, room) for room in rooms]
                    tiling = Tiling(dataflow, order, tile_m, tile_n, tile_k, *across, a_chunks, *stays, *stages)
                    if objections(tiling, product, config):
                        continue
                    kept = tiling.elements_kept(product)
                    if any(not stays[i] and rooms[i] < min(kept[i] + 1, loads[i]) for i in range(2)):
                        continue
                    moved = traffic(product, tiling, config).tensor_bytes
                    if best is None or moved < best[0]:
                        best = moved, tiling
    assert best is not None
    return best
