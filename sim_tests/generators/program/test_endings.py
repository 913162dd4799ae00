"""What becomes of results on their way to memory: every kind of finish, in every order that the tokens allow."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.candidates import candidates
from tilewright.generators.program.channel_table import channel_words
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Token, bits
from tilewright.generators.program.joined import Part, joined
from tilewright.generators.program.product import Added, Finish, Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.program.traffic import traffic
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.generators.reference.finish import finish_integers, max_pool, residual_sum
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.numeric import IntFormat

ENGINE = EngineConfig(
    rows=3, cols=4, a_words=60, b_words=50, c_words=42, channels=64, row_sums=80, adds=True, pool_words=64, table=True
)
INT8 = IntFormat(8)
Integers = NDArray[np.int64]
ADDED = {
    "left_multiplier": 5000000,
    "right_multiplier": 8388607,
    "sum_multiplier": 1 << 30,
    "sum_shift": 53,
    "right_zero": 4,
    "sum_zero": -9,
    "sum_low": -100,
    "sum_high": 90,
}
KINDS = ("channels", "zero", "added", "pooled", "table", "all")


@dataclass
class Case:
    """A product whose results are finished in some way, its memory, and what it makes."""

    product: Product
    memory: NDArray[np.uint8]
    factors: tuple[Integers, Integers]
    expected: Integers
    place: int

    def program(self, tiling: Tiling) -> list[object]:
        """The program; the table of channels that belongs to it is put into memory."""
        if self.product.finish is not None and self.product.finish.channels is not None:
            table = channel_words(self.product, tiling, ENGINE).table(*self.factors)
            self.memory[self.place : self.place + len(table)] = table
        return list(gemm_program(self.product, tiling, ENGINE))

    def found(self, memory: NDArray[np.uint8]) -> Integers:
        """The result that lies in ``memory``."""
        c = self.product.c
        assert isinstance(c, Matrix)
        return memory[c.address : c.address + c.rows * c.cols].view(np.int8).reshape(c.rows, c.cols).astype(np.int64)


def case(kind: str, m: int, n: int, k: int, *, width: int = 4, at: int = 0) -> Case:
    """Matrices one after the other from address ``at`` on; pictures are ``width`` pixels wide."""
    random = np.random.default_rng((m, n, k))
    a, b = random.integers(-128, 128, (m, k)), random.integers(-128, 128, (k, n))
    y = random.integers(-128, 128, (m, n))
    looks, pooled, added = kind in ("table", "all"), kind in ("pooled", "all"), kind in ("added", "all")
    rows = m // 4 if pooled else m
    places = np.cumsum([at, m * k, k * n, m * n, rows * n])
    multipliers, shifts = random.integers(1 << 29, 1 << 31, n), random.integers(37, 41, n)
    if kind not in ("channels", "all"):
        multipliers[:], shifts[:] = multipliers[0], shifts[0]
    table = -(-int(places[4]) // 8) * 8
    zero = -11 if kind in ("zero", "all") else 0
    finish = Finish(int(multipliers[0]), int(shifts[0]), 3, -120, 110, b_zero=zero)
    if kind in ("channels", "all"):
        finish = replace(finish, channels=table)
    if added:
        finish = replace(finish, added=Added(Matrix(int(places[2]), m, n, 1), ADDED))
    function = table + 8 * 64 * 8
    if looks:
        finish = replace(finish, table=function)
    if pooled:
        finish = replace(finish, pool_width=width)
    product = Product(
        Matrix(at, m, k, 1), Matrix(int(places[1]), k, n, 1), Matrix(int(places[3]), rows, n, 1), finish=finish
    )
    entries = random.integers(-128, 128, 256)
    memory = np.zeros(function + 256, dtype=np.uint8)
    memory[function:] = entries.astype(np.int8).view(np.uint8)
    for place, values in zip(places[:3], (a, b, y), strict=True):
        memory[place : place + values.size] = values.astype(np.int8).view(np.uint8).ravel()
    result = finish_integers(a @ b, INT8, multipliers, shifts, 3, (-120, 110), zero_b=zero, sums=a.sum(axis=1))
    if looks:
        result = entries[result & 0xFF]
    if added:
        f = ADDED
        scale = (f["sum_multiplier"], f["sum_shift"])
        right = (f["right_zero"], f["right_multiplier"])
        result = residual_sum(
            result, y, INT8, (3, f["left_multiplier"]), right, scale, f["sum_zero"], (f["sum_low"], f["sum_high"])
        )
    if pooled:
        result = max_pool(result.reshape(-1, width, n), INT8).reshape(-1, n)
    return Case(product, memory, (multipliers, shifts), result, table)


def tilings(product: Product, count: int) -> list[Tiling]:
    """Some of the legal ones, chosen at random."""
    found = list(candidates(product, ENGINE))
    random = np.random.default_rng(len(found))
    return [found[int(i)] for i in random.choice(len(found), min(count, len(found)), replace=False)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("m", "n", "k"), [(8, 1, 1), (16, 5, 7), (40, 13, 11), (24, 4, 30)])
def test_every_kind_of_finish(kind: str, m: int, n: int, k: int) -> None:
    for tiling in tilings(case(kind, m, n, k).product, 6):
        made = case(kind, m, n, k)
        program = encode(made.program(tiling))  # type: ignore[arg-type]
        moved = ReferenceEngine(ENGINE, made.memory).check(program, range(4))
        np.testing.assert_array_equal(made.found(made.memory), made.expected)
        predicted = traffic(made.product, tiling, ENGINE)
        assert (moved.tensors, moved.program) == (predicted.tensor_bytes, predicted.program_bytes)


@pytest.mark.parametrize("kind", KINDS)
def test_products_in_one_program(kind: str) -> None:
    """The second reads what the first has stored where it says so, and nothing runs into anything."""
    first = case(kind, 16, 8, 9)
    second = case(kind, 24, 5, 12, at=len(first.memory) // 8 * 8 + 8)
    memory = np.zeros(len(second.memory), dtype=np.uint8)
    programs = [made.program(tilings(made.product, 1)[0]) for made in (first, second)]
    memory[: len(first.memory)] = first.memory
    start = second.product.a.address
    memory[start:] = second.memory[start:]
    parts = [Part(program, after_stores=at > 0) for at, program in enumerate(programs)]  # type: ignore[arg-type]
    for late in (False, True):
        run = [replace(part, after_stores=late and part.after_stores) for part in parts]
        found = memory.copy()
        ReferenceEngine(ENGINE, found).check(encode(joined(run)), range(6))
        for made in (first, second):
            np.testing.assert_array_equal(made.found(found), made.expected)


def test_a_product_without_sums_leaves_those_of_the_one_before() -> None:
    """Every load of A writes row sums, whether or not its product needs them."""
    first = case("zero", 16, 8, 9)
    second = case("pooled", 24, 5, 12)
    program = joined([Part(made.program(tilings(made.product, 1)[0]), after_stores=False) for made in (first, second)])  # type: ignore[arg-type]
    second_load = [i for i in program if i.opcode == Opcode.LOAD_TENSOR and i.fields["slot"] == 1][1]
    assert second_load.waits == bits(Token.COMPUTED, Token.STORED)


def test_tilings_that_the_finish_does_not_allow() -> None:
    pooled, zero = case("pooled", 32, 4, 4).product, case("zero", 200, 4, 4).product
    base = Tiling("ws", "mn", 8, 4, 4)
    with pytest.raises(ValueError, match="tile_m must be a multiple of 8, got 12; nearest legal value is 8"):
        gemm_program(pooled, replace(base, tile_m=12), ENGINE)
    with pytest.raises(ValueError, match=r"tile_m \* across_m must be at most half of the 80 row sums, got 42"):
        gemm_program(zero, replace(base, tile_m=21, across_m=2, c_places=2), ENGINE)
    with pytest.raises(ValueError, match="pooling must take at most 64 words, got 100"):
        gemm_program(case("pooled", 400, 4, 1, width=200).product, replace(base, tile_m=400), ENGINE)
