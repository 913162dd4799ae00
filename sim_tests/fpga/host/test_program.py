"""Products in one program: the bits of products one by one, one start, operands read where they lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.addition import Addition
from tilewright.fpga.host.deferred import Deferred
from tilewright.fpga.host.run_failed import RunFailed
from tilewright.hdl.engine.records import Opcode
from tilewright.sim_tests.fpga.host.engines import INTEGERS, accelerator, refuses
from tilewright.sim_tests.harness.axi_memory import AxiMemory, ErrorRange
from tilewright.sim_tests.simulate.engine_transport import MEMORY


def numbers(seed: int, *shape: int, most: int = 128) -> Any:
    return np.random.default_rng((seed, *shape)).integers(-most, most, shape)


A, B, C = numbers(1, 9, 11), numbers(2, 11, 8), numbers(3, 8, 5)
PICTURES, KERNEL, DENSE = numbers(4, 2, 8, 6, 3), numbers(5, 3, 3, 3, 5, most=50), numbers(6, 60, 7, most=50)
HALF: dict[str, Any] = {"scale": 0.003, "zero_point": -4}


def network(e: Accelerator) -> list[Any]:
    """Convolution, pooling, two layers."""
    h = e.conv2d(PICTURES, KERNEL, padding=1, scale=0.01, activation="relu", pool=True)
    g = e.matmul(h.reshape(2, -1), DENSE, scale=0.005, zero_point=3, bias=np.arange(7))
    return [h, g, e.matmul(g, numbers(7, 7, 4), a_zero=3)]


def residual(e: Accelerator) -> list[Any]:
    """A branch that is added to what another product has given, not the last one."""
    h = e.matmul(A, B, **HALF)
    y = e.matmul(h, numbers(8, 8, 8), **HALF)
    return [h, y, e.matmul(y, numbers(9, 8, 8), scale=0.01, add=Addition(h, 0.02, 0.013, 0.03))]


def stack(e: Accelerator) -> list[Any]:
    """Stacks, as A and as B, and their parts in another shape."""
    h = e.matmul(numbers(10, 3, 6, 11), B, **HALF)
    y = e.matmul(h, numbers(11, 3, 8, 4), **HALF)
    one = e.matmul(A, B, **HALF)
    return [
        h,
        y,
        e.matmul(y, numbers(13, 3, 4, 5)),
        e.matmul(one.reshape(3, 3, 8), C),
        e.matmul(A[:, :3], one.reshape(3, -1)),
    ]


def transposed(e: Accelerator) -> list[Any]:
    """A result that lies column by column, as A and as B."""
    h = e.matmul(A, B, transpose=True, **HALF)
    return [h, e.matmul(h, numbers(12, 9, 3)), e.matmul(C.T, h, **HALF)]


def apart(e: Accelerator) -> list[Any]:
    """Products that need nothing of each other."""
    return [e.matmul(A, B, **HALF), e.matmul(A, B + 0, c=A @ B), e.matmul(B.T, A.T), e.matmul(A[:0], B)]


CASES: list[Callable[[Accelerator], list[Any]]] = [network, residual, stack, transposed, apart]


@pytest.mark.parametrize("which", ["integers", "cores"])
@pytest.mark.parametrize("products", CASES, ids=lambda case: case.__name__)
def test_one_start_gives_what_many_give(
    products: Callable[[Accelerator], list[Any]], which: str, request: pytest.FixtureRequest
) -> None:
    engine = request.getfixturevalue(which)
    wanted = products(engine)
    with engine.program() as program:
        found = products(engine)
        assert not program.runs
    assert len(program.runs) == 1 and engine.last is program.runs[0]
    assert program.runs[0].macs > 0
    for got, want in zip(found, wanted, strict=True):
        assert isinstance(got, Deferred) or not want.size
        assert (got.shape, got.dtype, got.ndim, got.size) == (want.shape, want.dtype, want.ndim, want.size)
        assert len(got) == len(want)
        np.testing.assert_array_equal(got, want)


def test_only_what_must_wait_waits(cores: Accelerator) -> None:
    """A barrier lies between products where the later one reads what has been stored since the last barrier."""
    for products, barriers in ((network, 2), (residual, 2), (transposed, 1), (apart, 0)):
        with cores.program() as program:
            products(cores)
        assert [i.opcode for i in program.runs[0].program].count(Opcode.BARRIER) == barriers


def test_values_that_are_asked_for_early(integers: Accelerator) -> None:
    with integers.program() as program:
        h = integers.matmul(A, B, **HALF)
        early = np.asarray(h).copy()
        assert len(program.runs) == 1
        y = integers.matmul(h, C)
        wide = integers.matmul(A, B)
        assert len(program.runs) == 1
        z = integers.matmul(wide // 4096, C)  # int32: no operand of the engine
        assert len(program.runs) == 2
        assert repr(z) == "Deferred(int32, (9, 5))"
    assert len(program.runs) == 3
    np.testing.assert_array_equal(y, early.astype(int) @ C)
    np.testing.assert_array_equal(z, A @ B // 4096 @ C)
    np.testing.assert_array_equal(h, early)


def test_values_outlive_the_places_where_they_lay(integers: Accelerator) -> None:
    with integers.program():
        h = integers.matmul(A, B)
    for seed in range(3):
        assert integers.matmul(numbers(seed, 40, 40), numbers(seed, 40, 40)).any()
    np.testing.assert_array_equal(h, A @ B)
    np.testing.assert_array_equal(integers.matmul(h // 4096, C), A @ B // 4096 @ C)
    assert integers.put(B, "b").shape == B.shape


def test_pictures_that_are_parts_of_a_stack(integers: Accelerator) -> None:
    """They do not lie one behind the other."""
    parts, ones = numbers(15, 2, 3, 5, 7), numbers(16, 7, 3, most=20)
    with integers.program() as program:
        h = integers.matmul(parts, ones, **HALF)
        y = integers.conv2d(h, KERNEL, padding=1)
    assert len(program.runs) == 2
    np.testing.assert_array_equal(y, integers.conv2d(np.asarray(h), KERNEL, padding=1))


def test_what_lies_in_another_memory_is_moved(integers: Accelerator, cores: Accelerator) -> None:
    with integers.program() as one, cores.program() as other:
        h = integers.matmul(A, B, **HALF)
        y = cores.matmul(h, C)
        assert (len(one.runs), len(other.runs)) == (1, 0)
    np.testing.assert_array_equal(y, integers.matmul(A, B, **HALF).astype(int) @ C)


def test_the_zero_point_of_a_asks_for_b(integers: Accelerator) -> None:
    with integers.program() as program:
        h = integers.matmul(A, B, **HALF)
        y = integers.matmul(C.T, integers.matmul(h.reshape(8, 9), numbers(14, 9, 6), **HALF), a_zero=3)
    assert len(program.runs) == 2
    inner = integers.matmul(np.asarray(h).reshape(8, 9), numbers(14, 9, 6), **HALF).astype(int)
    np.testing.assert_array_equal(y, (C.T - 3) @ inner)


def test_a_program_that_fails_loses_its_results_and_the_next_one_works() -> None:
    with accelerator(INTEGERS) as engine:
        first = engine.transport.memory_base
        bad = AxiMemory(latency=60, errors=(ErrorRange(first, 64, "SLVERR"),))
        engine.transport.session.configure(bad)  # type: ignore[attr-defined]
        with pytest.raises(RunFailed), engine.program():
            lost = engine.matmul(A, B, **HALF)
            engine.matmul(lost, C)
        sentence = "a result must be one of a program that has run to its end; this one's has not"
        refuses(lost.reshape(3, 3, 8).numpy, sentence)  # type: ignore[attr-defined]
        refuses(lambda: engine.matmul(lost, C), sentence)
        engine.transport.session.configure(MEMORY)  # type: ignore[attr-defined]
        with pytest.raises(ZeroDivisionError), engine.program() as program:
            dropped = engine.matmul(A, B)
            _ = 1 / 0
        assert not program.runs
        refuses(lambda: engine.matmul(dropped, C), sentence)
        with engine.program():
            late = engine.matmul(A, B)
        engine.close()
        refuses(late.numpy, "the accelerator must be open, and it was closed; make another one")  # type: ignore[attr-defined]


def test_what_cannot_be(integers: Accelerator) -> None:
    def nested() -> None:
        with integers.program(), integers.program():
            pass

    def put() -> None:
        with integers.program():
            integers.put(B, "b")

    def wide() -> None:
        with integers.program():
            y = integers.matmul(A, B, **HALF)
            integers.matmul(y, B)

    refuses(nested, "a program must end before another one begins, got one within another")
    refuses(put, "put must come before a program or after it, got 'b' within one")
    refuses(wide, "b must have as many rows as a has columns, 8, got shape (11, 8)")
    with pytest.raises(ValueError, match="cannot reshape"), integers.program():
        integers.matmul(A, B).reshape(7, 7)
    assert np.array_equal(integers.matmul(A, B), A @ B)
