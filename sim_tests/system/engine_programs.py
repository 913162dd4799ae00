"""Random programs of matrix products, with the memory that they begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.program.channel_table import channel_table, channel_words
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.joined import Part, joined
from tilewright.generators.program.product import Product
from tilewright.generators.program.tensor import View
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.program.turning import Operand, for_engine
from tilewright.hdl.numeric import FloatFormat, FxFormat
from tilewright.hdl.numeric.window import exact_point, highest_point
from tilewright.sim_tests.system.data import random_extent
from tilewright.sim_tests.system.engine_designs import EngineDesign
from tilewright.sim_tests.system.engine_endings import Endings
from tilewright.sim_tests.system.engine_places import Full, Places
from tilewright.sim_tests.system.engine_tilings import random_tiling

LARGEST = 40  # rows or columns
MOST_MACS = 6000
_START = ("zero", "bias", "old", "in place", "result before")


@dataclass(frozen=True)
class Job:
    """A program, where it lies, and what it does."""

    address: int
    program: NDArray[np.uint8]
    products: Sequence[tuple[Product, Tiling]]

    @property
    def commands(self) -> int:
        """Matrix products."""
        return len(self.products)

    @property
    def values(self) -> int:
        """Values of results."""
        return sum(product.m * product.n for product, _ in self.products)

    def __str__(self) -> str:
        return "\n".join(f"{product}\n  {tiling}" for product, tiling in self.products)


class Author:
    """Writes programs for a design; each fills ``memory`` with its operands."""

    def __init__(self, design: EngineDesign, rng: np.random.Generator, memory: NDArray[np.uint8]) -> None:
        self.config, self.rng, self.memory = design.config, rng, memory
        self.endings = Endings(design.config, rng)
        pads = self.config.scratchpads
        units = {self.config.rows, self.config.cols, self.config.vector, pads.a.lanes, pads.b.lanes, pads.c.lanes}
        self.units = tuple(sorted(units))

    def job(self, most: int = 4) -> Job:
        """A program of 1..``most`` products; one may start from, or stand where, the result of the one before is."""
        places = Places(self.memory, self.rng)
        products: list[tuple[Product, Tiling]] = []
        parts: list[Part] = []
        for _ in range(int(self.rng.integers(1, most + 1))):
            try:
                parts.append(self._part(places, products, products[-1][0] if products else None))
            except Full:
                break
        program = encode(joined(parts)).ravel()
        return Job(places.take(len(program), 64), program, products)

    def _part(self, places: Places, products: list[tuple[Product, Tiling]], before: Product | None) -> Part:
        """Another product, which is put behind ``products``, as a part of a program. Raises Full."""
        product, needs = self._product(places, before)
        product, tiling = self._tiled(product)
        product = self._with_channels(places, product, tiling)
        products.append((product, tiling))
        return Part(gemm_program(product, tiling, self.config), after_stores=needs or self.rng.random() < 0.4)

    def _product(self, places: Places, before: Product | None) -> tuple[Product, bool]:
        """A product, and whether it needs the result of the one before."""
        rng, config = self.rng, self.config
        n = random_extent(rng, self.units, LARGEST)
        width = self.endings.pool_width()
        if not width and rng.random() < 0.25:
            a: View = places.picture(LARGEST, LARGEST, config.a)
        else:
            lines = 2 * width * int(rng.integers(1, max(2, LARGEST // (2 * max(width, 1)))))
            m = lines or random_extent(rng, self.units, LARGEST)
            k = random_extent(rng, self.units, max(1, min(LARGEST, MOST_MACS // (m * n))))
            a = self._operand(places, m, k, "a")
        n = max(1, min(n, self.endings.widest(width), MOST_MACS // (a.rows * a.cols)))
        start_kind = str(rng.choice(_START))
        raw = before is not None and before.finish is None and before.c.rows == a.rows
        if start_kind == "result before" and before is not None and raw:
            n = before.c.cols
        b = self._operand(places, a.cols, n, "b")
        finish = self.endings.finish(places, (a.rows, n), width) if width or rng.random() < 0.6 else None
        result = config.acc if finish is None else config.result
        assert result is not None
        start: View | None = None
        needs = False
        c: View | None = None
        if start_kind == "bias":
            start = places.filled(1, n, config.acc)
        elif start_kind == "result before" and before is not None and raw:
            start, needs = before.c, True
        elif start_kind in ("old", "in place"):
            start = places.filled(a.rows, n, config.acc)
            c = start if start_kind == "in place" and finish is None else None
        if c is None:
            rows = a.rows // 4 if width else a.rows
            if rng.random() < 0.15:
                c = places.transposed(rows, n, result)
            else:
                c = places.matrix(rows, n, result, align=bool(rng.random() < 0.3))
        accumulate = start is not None and start_kind != "bias"
        return Product(a, b, c, start, accumulate, finish, self._point()), needs

    def _operand(self, places: Places, rows: int, cols: int, name: Operand) -> View:
        """A matrix that lies row by row, or at times column by column."""
        fmt = self.config.a if name == "a" else self.config.b
        if self.rng.random() < 0.25:
            found = places.filled_transposed(rows, cols, fmt)
            return for_engine(found, name, self.config) if self.rng.random() < 0.8 else found
        return places.filled(rows, cols, fmt, align=bool(self.rng.random() < 0.3))

    def _tiled(self, product: Product) -> tuple[Product, Tiling]:
        """The product and a tiling; a zero point of B for which there are too few row sums is left out.

        Raises Full where the lines of a picture that is pooled are too long for the scratchpads.
        """
        try:
            return product, random_tiling(self.rng, product, self.config)
        except ValueError:
            if product.finish is None or not product.finish.b_zero:
                if product.finish is not None and product.finish.pool_width:
                    raise Full from None
                raise
            return self._tiled(replace(product, finish=replace(product.finish, b_zero=0)))

    def _point(self) -> int:
        acc, a, b = self.config.acc, self.config.a, self.config.b
        if not (isinstance(acc, FxFormat) and isinstance(a, FloatFormat) and isinstance(b, FloatFormat)):
            return 0
        low, high = sorted((int(exact_point(a, b)), int(highest_point(acc, a, b))))
        return int(self.rng.integers(low, high + 1))

    def _with_channels(self, places: Places, product: Product, tiling: Tiling) -> Product:
        """The product with a table of channels, where the engine has room for it."""
        config, rng = self.config, self.rng
        words = channel_words(product, tiling, config)
        lanes = config.scratchpads.c.lanes
        if product.finish is None or words.entries > -(-config.channels // lanes) * lanes or rng.random() < 0.3:
            return product
        table = words.table(*self.endings.scales(product.n))
        address = places.take(len(table))
        self.memory[address : address + len(table)] = table
        found = replace(product, finish=replace(product.finish, channels=address))
        assert channel_table(found, tiling, config) is not None
        return found
