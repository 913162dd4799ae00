"""The least that any legal tiling of a large product moves: all are tried, those that cannot be the least by bounds."""

from __future__ import annotations

from functools import lru_cache
from itertools import product as combinations

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import View
from tilewright.generators.program.tiling import TOKEN_LIMIT
from tilewright.generators.program.traffic import by_parts

Integers = NDArray[np.int64]


def least_bytes(product: Product, config: EngineConfig, known: int) -> int:
    """The fewest bytes of matrices, in whole beats, that a legal tiling moves; ``known``: a tiling moves so few.

    Tilings have two places or more for each operand that does not stay, unless one holds all of it, as those of the
    planner have. The dataflow makes no difference to what is moved.
    """
    return _Search(product, config, known // (config.bus_bits // 8)).least() * config.bus_bits // 8


class _Search:
    """``best``: beats of the best tiling so far.

    Where the rows of a part follow each other in memory, what is moved depends on how many there are too: so it is for
    A in parts as deep as K, for B and C in parts as wide as N.
    """

    def __init__(self, product: Product, config: EngineConfig, known: int) -> None:
        self.product, self.config, self.best = product, config, known
        self.pads = config.scratchpads
        self.a, self.b, self.c = (self._beats(view) for view in (product.a, product.b, product.c))
        self.whole_a, self.whole_b, self.whole_c = (self._whole(v) for v in (product.a, product.b, product.c))
        for found, whole in ((self.a, self.whole_a), (self.b, self.whole_b), (self.c, self.whole_c)):
            found[-1] = whole.min()

    def _beats(self, view: View) -> Integers:
        """Beats of a matrix in columns of each width; that of 0 is out of reach."""
        return np.array([1 << 40, *(self._parts(view, view.rows, width) for width in range(1, view.cols + 1))])

    def _whole(self, view: View) -> Integers:
        """Beats of a matrix in rows of each height; that of 0 is out of reach."""
        if not view.rows_follow(view.cols):
            return np.array([1 << 40] + [self._parts(view, view.rows, view.cols)] * view.rows)
        return np.array([1 << 40, *(self._parts(view, height, view.cols) for height in range(1, view.rows + 1))])

    def _parts(self, view: View, height: int, width: int) -> int:
        return by_parts(view, height, width, self.config.bus_bits // 8, self.config.longest_burst).beats

    def least(self) -> int:
        """Tries passes over A and B and widths of tiles, from those that might move the least on."""
        p = self.product
        passes_a, passes_b = _ceilings(p.n), _ceilings(p.m)
        widths = np.arange(1, p.n + 1)
        bound = (
            passes_a[:, None, None] * self.a.min()
            + passes_b[None, :, None] * self.b[None, None, 1:]
            + self.c[None, None, 1:]
        )
        where = np.argwhere(bound < self.best)
        order = np.argsort(bound[tuple(where.T)], kind="stable")
        for at_a, at_b, at_n in where[order].tolist():
            if bound[at_a, at_b, at_n] >= self.best:
                break
            self._try(int(passes_a[at_a]), int(passes_b[at_b]), int(widths[at_n]))
        return self.best

    def _try(self, over_a: int, over_b: int, width: int) -> None:
        """Finds the heights of tiles and chunks of K that move the least."""
        p, fixed = self.product, over_b * int(self.b[width]) + int(self.c[width])
        one, pads = np.arange(1, p.k + 1), self.pads
        for a_chunks in range(1, min(TOKEN_LIMIT, p.k) + 1):
            deep = np.minimum(a_chunks * one, p.k)
            moved = over_a * self.a[deep] + fixed
            unit = self.config.vector * (pads.a.lanes if a_chunks > 1 else 1)
            legal = (one % unit == 0) | (one >= p.k)
            if a_chunks > 1:
                legal &= self.a[deep] < self.a[one]  # else a chunk an element does as well
            if not (legal & (moved < self.best)).any():
                continue
            for order, stays_a, stays_b in combinations(("mn", "nm"), (False, True), (False, True)):
                if (stays_a and over_a > 1) or (stays_b and over_b > 1):
                    continue
                useful = one[legal & (moved < self.best)]
                # Fewer tiles side by side always fit where more do.
                across_n = 1 if stays_a else _up(_up(p.n, over_a), width)
                words = (1 if stays_b else _up(p.m, over_b)) * across_n * _up(width, pads.c.lanes)
                if words > pads.c.words * pads.c.regions or not useful.size:
                    continue
                rows = np.arange(1, (p.m if stays_b else _up(p.m, over_b)) + 1)
                across_m = np.ones_like(rows) if stays_b else -(-_up(p.m, over_b) // rows)
                fits = self._fits(order, (stays_a, stays_b), (rows, across_m), (width, across_n), a_chunks, useful)
                if fits.any():
                    self.best = min(
                        self.best, int(self._moved((over_a, over_b), width, rows, a_chunks, useful)[fits].min())
                    )

    def _moved(self, passes: tuple[int, int], width: int, rows: Integers, a_chunks: int, depths: Integers) -> Integers:
        """Beats of tilings: of each height of tiles, for each length of chunks."""
        p, deep = self.product, np.minimum(a_chunks * depths, self.product.k)
        a = np.where(deep == p.k, self.whole_a[rows][:, None], self.a[deep])
        b = self.whole_b[depths] if width == p.n else np.full(len(depths), self.b[width])
        c = self.whole_c[rows] if width == p.n else np.full(len(rows), self.c[width])
        found: Integers = passes[0] * a + passes[1] * b + c[:, None]
        return found

    def _fits(
        self,
        order: str,
        stays: tuple[bool, bool],
        along_m: tuple[Integers, Integers],
        along_n: tuple[int, int],
        a_chunks: int,
        depths: Integers,
    ) -> NDArray[np.bool_]:
        """Which heights of tiles fit, for each length of chunks."""
        p, pads, vector = self.product, self.pads, self.config.vector
        (rows, across_m), (width, across_n) = (along[:, None] for along in along_m), along_n
        chunks = -(-p.k // depths)
        tiles_m, tiles_n = -(-p.m // rows), _up(p.n, width)
        beside_m, beside_n = np.minimum(across_m, tiles_m), min(across_n, tiles_n)
        keep_a = np.where(a_chunks > 1, beside_m, 1) + 0 * chunks
        keep_b = np.where(beside_m > 1, beside_n, 1) + 0 * chunks
        loads_a, loads_b = tiles_m * -(-chunks // a_chunks), tiles_n * chunks
        if stays[0]:
            keep_a = (beside_m if order == "mn" else tiles_m) * -(-chunks // a_chunks)
        if stays[1]:
            keep_b = (beside_n if order == "nm" else tiles_n) * chunks
        needs_a = keep_a if stays[0] else np.minimum(keep_a + 1, np.maximum(loads_a, keep_a))
        needs_b = keep_b if stays[1] else np.minimum(keep_b + 1, np.maximum(loads_b, keep_b))
        groups = -(-depths // vector)
        a_groups = (a_chunks * depths + vector - 1) // vector
        a_words = rows * -(-a_groups // pads.a.lanes)
        b_words = groups * _up(width, pads.b.lanes)
        c_places = np.minimum(pads.c.words // (rows * _up(width, pads.c.lanes)) * pads.c.regions, TOKEN_LIMIT)
        good = (needs_a <= np.minimum(pads.a.words // a_words, TOKEN_LIMIT)) & (beside_m * beside_n <= c_places)
        good = good & (needs_b <= np.minimum(pads.b.words // b_words, TOKEN_LIMIT))
        found: NDArray[np.bool_] = good
        return found


def _up(value: int, by: int) -> int:
    return -(-value // by)


@lru_cache
def _ceilings(total: int) -> Integers:
    """All values of ``ceil(total / x)``."""
    return np.unique(-(-total // np.arange(1, total + 1)))
