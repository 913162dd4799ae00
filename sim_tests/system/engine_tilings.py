"""Random legal tilings of a product."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.candidates import candidates, dataflows
from tilewright.generators.program.product import Product
from tilewright.generators.program.tiling import TOKEN_LIMIT, Order, Places, Tiling, objections

_TRIES = 60
_MOST_STEPS = 150
_LOOKS = 400


def random_tiling(rng: np.random.Generator, product: Product, config: EngineConfig) -> Tiling:
    """One of the planner's, or one that it would never choose; the smallest pieces at times, and the largest."""
    if rng.random() < 0.7:
        for _ in range(_TRIES):
            tiling = _any(rng, product, config)
            if tiling is not None and not objections(tiling, product, config):
                return tiling
    known = list(islice(candidates(product, config), int(rng.integers(1, _LOOKS))))
    if not known:
        raise ValueError(f"no tiling fits for {product}")
    return known[-1]


def _any(rng: np.random.Generator, product: Product, config: EngineConfig) -> Tiling | None:
    """A tiling that may be legal, with few enough commands."""
    orders: tuple[Order, ...] = ("mn", "nm")
    lanes = config.scratchpads.a.lanes
    a_chunks = int(rng.choice((1, 1, 2, 3)))
    unit = config.vector * (lanes if a_chunks > 1 else 1)
    lines = 2 * product.finish.pool_width if product.finish is not None else 0
    wanted = ((product.m, lines or 1), (product.n, 1), (product.k, unit))
    sizes = [_part(rng, size, step) for size, step in wanted]
    steps = -(-product.m // sizes[0]) * -(-product.n // sizes[1]) * -(-product.k // sizes[2])
    if steps > _MOST_STEPS:
        return None
    across = (int(rng.choice((1, 1, 2, 3))), int(rng.choice((1, 1, 2, 3))))
    flow = str(rng.choice(dataflows(config)))
    resident_a, resident_b = bool(rng.random() < 0.3), bool(rng.random() < 0.3)
    order = orders[int(rng.integers(2))]
    base = Tiling(flow, order, sizes[0], sizes[1], sizes[2], *across, a_chunks, resident_a, resident_b)
    rooms = Places(config).stages(base, bias=product.has_bias)
    kept = base.elements_kept(product)
    least = (
        kept[0] if resident_a else kept[0] + 1,
        kept[1] if resident_b else kept[1] + 1,
        min(across[0], product.m) * min(across[1], product.n),
    )
    if any(room < low for room, low in zip(rooms, least, strict=True)):
        return None
    stages = [
        int(rng.integers(low, min(room, TOKEN_LIMIT, low + 12) + 1)) for room, low in zip(rooms, least, strict=True)
    ]
    return replace(base, a_stages=stages[0], b_stages=stages[1], c_places=stages[2])


def _part(rng: np.random.Generator, total: int, unit: int) -> int:
    """A size of pieces: all, or anything, in whole units unless it is all."""
    if rng.random() < 0.3:
        return total
    size = int(rng.integers(1, total + 1))
    return min(total, -(-size // unit) * unit)
