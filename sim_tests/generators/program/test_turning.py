"""Operands that lie transposed in memory, turned in blocks: in every order that the tokens allow, for all tilings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.candidates import candidates
from tilewright.generators.program.encode import encode
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.product import Finish, Product
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.program.transposed import Transposed
from tilewright.generators.program.turning import for_engine
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.generators.reference.engine_machine import EngineError
from tilewright.generators.reference.finish import finish_integers
from tilewright.hdl.engine.records import Opcode
from tilewright.hdl.numeric import IntFormat

ENGINES = {
    "plain": EngineConfig(rows=3, cols=4, a_words=60, b_words=50, c_words=42, transposer=7, row_sums=80),
    "vector": EngineConfig(rows=2, cols=3, vector=4, dataflow="os", a_words=40, b_words=50, c_words=42, transposer=6,
                           row_sums=80),
    "banks": EngineConfig(rows=3, cols=4, dataflow="is", a_words=60, b_words=50, c_words=42, transposer=7, row_sums=80),
    "long": EngineConfig(rows=3, cols=4, a_words=60, b_words=50, c_words=42, transposer=64, row_sums=80),
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (8, 5, 7), (19, 13, 23), (40, 4, 9)])
@pytest.mark.parametrize("zero", [0, -11])
def test_products(engine: str, m: int, n: int, k: int, zero: int) -> None:
    config, rng = ENGINES[engine], np.random.default_rng((m, n, k))
    a, b = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n))
    places = np.cumsum([0, k * (m + 3), n * k])
    views = (Transposed(0, m, k, 1, m + 3), Transposed(int(places[1]), k, n, 1))
    left, right = for_engine(views[0], "a", config), for_engine(views[1], "b", config)
    product = Product(
        left, right, Matrix(int(places[2]), m, n, 1), finish=Finish(1 << 30, 38, 3, -128, 127, b_zero=zero)
    )
    memory = np.zeros(int(places[2]) + m * n, dtype=np.uint8)
    memory[: k * (m + 3)].reshape(k, m + 3)[:, :m] = a.T.astype(np.int8).view(np.uint8)
    memory[places[1] : places[2]] = b.T.astype(np.int8).view(np.uint8).ravel()
    wanted = finish_integers(a @ b, IntFormat(8), 1 << 30, 38, 3, zero_b=zero, sums=a.sum(axis=1))
    tilings = list(candidates(product, config))
    for index in rng.choice(len(tilings), min(6, len(tilings)), replace=False):
        program = gemm_program(product, tilings[int(index)], config)
        assert any(i.fields.get("turned") for i in program if i.opcode == Opcode.LOAD)
        found = memory.copy()
        ReferenceEngine(config, found).check(encode(program), range(2))
        np.testing.assert_array_equal(found[places[2] :].view(np.int8).reshape(m, n), wanted)


def test_moves_less() -> None:
    whole = Transposed(0, 64, 64, 1)
    turned = replace(whole, block=16)
    assert whole.transfers(0, 0, 64, 64, 16, 512) == (4096, 4096)
    assert turned.transfers(0, 0, 64, 64, 16, 512) == (256, 256)


def test_what_cannot_be() -> None:
    config = ENGINES["plain"]
    view = Transposed(0, 4, 4, 1, block=8)
    product = Product(view, Matrix(16, 4, 4, 1), Matrix(32, 4, 4, 4))
    with pytest.raises(ValueError, match="a must be turned in blocks of at most 7, got 8"):
        product.check(config)
    odd = replace(product, a=replace(view, block=6))
    odd.check(config)
    with pytest.raises(ValueError, match="a must be turned in blocks of a multiple of 4, got 6"):
        odd.check(ENGINES["banks"])
    short = EngineConfig(**{**ENGINES["banks"].model_dump(), "transposer": 3})
    untouched = replace(view, block=0)
    assert for_engine(untouched, "a", short) is untouched
    plain = replace(product, a=for_engine(view, "a", config))
    tiling = next(iter(candidates(plain, config)))
    program = gemm_program(plain, tiling, config)
    at = next(at for at, i in enumerate(program) if i.fields.get("turned"))
    program[at] = program[at]._replace(fields={**program[at].fields, "cols": 8})
    with pytest.raises(EngineError, match=r"turns a matrix of \d x 8, the largest is \d x 7"):
        ReferenceEngine(config, np.zeros(256, dtype=np.uint8)).run(encode(program))
