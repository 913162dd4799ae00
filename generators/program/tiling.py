"""How a product is cut into commands, and where its pieces lie in the scratchpads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tilewright.generators.config.derived import Scratchpads
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.product import Product

Order = Literal["mn", "nm"]
TOKEN_LIMIT = 63  # what a counter holds


@dataclass(frozen=True)
class Tiling:
    """C is cut into macro tiles of ``across_m`` x ``across_n`` tiles; a command adds ``tile_k`` of K to one tile.

    Macro tiles are made one after the other, along N first (``order`` "mn") or along M first ("nm"); in each, K goes
    by chunks, and for each chunk the tiles of the macro tile follow each other, so that commands that add to the
    same tile are not neighbours.

    A is loaded in elements of ``tile_m`` x (``a_chunks * tile_k``), B in elements of ``tile_k`` x ``tile_n``. Each
    takes the next of ``a_stages`` (``b_stages``) equal places in its scratchpad. An operand that is not resident
    is loaded for every macro tile. One that is resident is loaded once: A stays while N goes by ("mn"; ``a_stages``
    must hold the elements of a macro tile) or altogether ("nm"); B stays altogether ("mn") or while M goes by ("nm").

    Tiles take one of ``c_places`` places of C in turn, even ones in region 0, odd ones in region 1, each with room for
    its bias row where there is one. With as many places as a macro tile has tiles, the place of a tile is stored
    while the others compute.
    """

    dataflow: str
    order: Order
    tile_m: int
    tile_n: int
    tile_k: int
    across_m: int = 1
    across_n: int = 1
    a_chunks: int = 1
    a_resident: bool = False
    b_resident: bool = False
    a_stages: int = 2
    b_stages: int = 2
    c_places: int = 2

    @property
    def macro_m(self) -> int:
        """Rows of a macro tile."""
        return self.tile_m * self.across_m

    @property
    def macro_n(self) -> int:
        """Columns of a macro tile."""
        return self.tile_n * self.across_n

    def passes(self, product: Product) -> tuple[int, int]:
        """How often all of A and all of B are loaded."""
        over_n, over_m = -(-product.n // self.macro_n), -(-product.m // self.macro_m)
        return 1 if self.a_resident else over_n, 1 if self.b_resident else over_m

    def elements_kept(self, product: Product) -> tuple[int, int]:
        """(elements of A, of B) that must have a place at the same time."""
        chunks = -(-product.k // self.tile_k)
        tiles_m, tiles_n = -(-product.m // self.tile_m), -(-product.n // self.tile_n)
        beside_m, beside_n = min(self.across_m, tiles_m), min(self.across_n, tiles_n)
        a, b = beside_m if self.a_chunks > 1 else 1, beside_n if beside_m > 1 else 1
        if self.a_resident:
            a = (beside_m if self.order == "mn" else tiles_m) * -(-chunks // self.a_chunks)
        if self.b_resident:
            b = (beside_n if self.order == "nm" else tiles_n) * chunks
        return a, b


@dataclass(frozen=True)
class Places:
    """Words of the scratchpads of ``config`` that the pieces of a product take."""

    config: EngineConfig

    @cached_property
    def pads(self) -> Scratchpads:
        """The scratchpads."""
        return self.config.scratchpads

    def a_words(self, tiling: Tiling) -> int:
        """Words of an element of A."""
        return self.a_offset(tiling.tile_m, tiling.a_chunks * tiling.tile_k)

    def b_words(self, tiling: Tiling) -> int:
        """Words of an element of B."""
        return self._groups(tiling.tile_k) * -(-tiling.tile_n // self.pads.b.lanes)

    def c_words(self, tiling: Tiling, *, bias: bool) -> int:
        """Words of a place of C; the bias row's are the last of them."""
        return (tiling.tile_m + bias) * -(-tiling.tile_n // self.pads.c.lanes)

    def a_offset(self, rows: int, column: int) -> int:
        """Words that the first ``column`` columns of an element of A of ``rows`` rows take."""
        return rows * -(-self._groups(column) // self.pads.a.lanes)

    def stages(self, tiling: Tiling, *, bias: bool) -> tuple[int, int, int]:
        """(places of A, of B, of C) that there is room for."""
        pads = self.pads
        c = pads.c.words // self.c_words(tiling, bias=bias) * pads.c.regions
        return pads.a.words // self.a_words(tiling), pads.b.words // self.b_words(tiling), c

    def _groups(self, values: int) -> int:
        return -(-values // self.config.vector)


_SIZES = ("tile_m", "tile_n", "tile_k", "across_m", "across_n", "a_chunks", "a_stages", "b_stages", "c_places")


def objections(tiling: Tiling, product: Product, config: EngineConfig) -> list[str]:
    """Why ``tiling`` cannot be used, a sentence each; none where it can."""
    places = Places(config)
    pads = places.pads
    found = [f"{name} must be at least 1, got {getattr(tiling, name)}" for name in _SIZES if getattr(tiling, name) < 1]
    if found:
        return found
    if config.dataflow not in ("any", tiling.dataflow):
        found.append(f"dataflow must be {config.dataflow}, got {tiling.dataflow}")
    unit = config.vector * (pads.a.lanes if tiling.a_chunks > 1 else 1)
    if tiling.tile_k % unit and tiling.tile_k < product.k:
        nearest = -(-tiling.tile_k // unit) * unit
        found.append(f"tile_k must be a multiple of {unit}, got {tiling.tile_k}; nearest legal value is {nearest}")
    least = (*tiling.elements_kept(product), min(tiling.across_m, product.m) * min(tiling.across_n, product.n))
    room = places.stages(tiling, bias=product.has_bias)
    for name, have, keep in zip(("a_stages", "b_stages", "c_places"), room, least, strict=True):
        wanted, most = getattr(tiling, name), min(have, TOKEN_LIMIT)
        if not keep <= wanted <= most:
            found.append(f"{name} must be at least {keep} and at most {most}, got {wanted}")
    return found + _of_the_finish(tiling, product, config)


def _of_the_finish(tiling: Tiling, product: Product, config: EngineConfig) -> list[str]:
    """What row sums and pooling ask of a tiling."""
    finish = product.finish
    found: list[str] = []
    if finish is None:
        return found
    if finish.b_zero:
        panels = -(-product.m // tiling.macro_m)
        if tiling.order == "nm" and tiling.a_resident and panels > 2:
            found.append("order must be mn, or A not resident, where B has a zero point, got nm")
        rows = tiling.macro_m + min(tiling.macro_m, product.m)
        if rows > config.row_sums:
            found.append(
                f"tile_m * across_m must be at most half of the {config.row_sums} row sums, got {tiling.macro_m}"
            )
    if finish.pool_width:
        lines = 2 * finish.pool_width
        if tiling.tile_m % lines:
            nearest = max(lines, tiling.tile_m // lines * lines)
            found.append(f"tile_m must be a multiple of {lines}, got {tiling.tile_m}; nearest legal value is {nearest}")
        words = finish.pool_width // 2 * -(-min(tiling.tile_n, product.n) // config.scratchpads.c.lanes)
        if words > config.pool_words:
            found.append(f"pooling must take at most {config.pool_words} words, got {words}")
    return found
