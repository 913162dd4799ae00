from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.config.engine import engine_config
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.numbers import to_codes
from tilewright.generators.reference.product import product
from tilewright.hdl.numeric import BF16, FP32, IntFormat, decode, wrap
from tilewright.sim_tests.fpga.host.engines import FLOATS, INTEGERS, accelerator, config_of, refuses

SHAPES = [(1, 1, 1), (1, 7, 1), (2, 3, 5), (4, 4, 4), (5, 3, 4), (13, 17, 19), (16, 1, 33), (31, 6, 97), (67, 23, 11)]
INT32 = IntFormat(32)


def numbers(rng: np.random.Generator, *shape: int) -> Any:
    return rng.integers(-128, 128, shape)


@pytest.mark.parametrize(("m", "n", "k"), SHAPES)
def test_a_product_is_that_of_numpy(integers: Accelerator, m: int, n: int, k: int) -> None:
    rng = np.random.default_rng(m * 10_000 + n * 100 + k)
    a, b = numbers(rng, m, k), numbers(rng, k, n)
    bias, c = rng.integers(-(1 << 31), 1 << 31, n), rng.integers(-(1 << 31), 1 << 31, (m, n))
    plain = integers.matmul(a, b)
    assert plain.dtype == np.int32
    assert np.array_equal(plain, a @ b)
    assert np.array_equal(integers.matmul(a, b, bias=bias), wrap(a @ b + bias, INT32))
    assert np.array_equal(integers.matmul(a, b, bias=bias[None]), wrap(a @ b + bias, INT32))
    assert np.array_equal(integers.matmul(a, b, c=c), wrap(a @ b + c, INT32))
    assert np.array_equal(integers.linear(a, b.T, bias), wrap(a @ b + bias, INT32))


@pytest.mark.parametrize("extreme", [-128, 127])
def test_the_largest_products_are_exact(integers: Accelerator, extreme: int) -> None:
    a, b = np.full((3, 300), -128), np.full((300, 5), extreme)
    assert np.array_equal(integers.matmul(a, b), a @ b)


@pytest.mark.parametrize("zero", [-128, -1, 1, 127])
def test_the_zero_point_of_a_is_taken_out(integers: Accelerator, zero: int) -> None:
    rng = np.random.default_rng(zero + 200)
    a, b, bias = numbers(rng, 6, 9), numbers(rng, 9, 5), rng.integers(-500, 500, 5)
    assert np.array_equal(integers.matmul(a, b, a_zero=zero), (a - zero) @ b)
    assert np.array_equal(integers.matmul(a, b, bias=bias, a_zero=zero), (a - zero) @ b + bias)
    edge = np.full(5, (1 << 31) - 1)  # the corrected row leaves 32 bits, and the sums come back
    assert np.array_equal(integers.matmul(a, b, bias=edge, a_zero=zero), wrap((a - zero) @ b + edge, INT32))
    refuses(lambda: integers.matmul(a, b, c=(a @ b), a_zero=zero), "a_zero must be 0 where C starts from c")
    refuses(lambda: integers.matmul([a, a], [b, b], a_zero=zero), "a_zero must be 0 in a stack of several b")


@pytest.mark.parametrize(("left", "right"), [((2,), ()), ((), (3,)), ((2, 1), (3,)), ((1,), (1,)), ((2, 3), (2, 3))])
def test_stacks_go_together_as_in_numpy(integers: Accelerator, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    rng = np.random.default_rng(7)
    a, b = numbers(rng, *left, 3, 6), numbers(rng, *right, 6, 5)
    bias = rng.integers(-9, 9, 5)
    got = integers.matmul(a, b, bias=bias)
    assert got.shape == (a @ b).shape
    assert np.array_equal(got, a @ b + bias)
    assert integers.last is not None
    assert len(integers.last.plans) == np.prod(np.broadcast_shapes(left, right))
    assert integers.last.macs == got.size * 6


@pytest.mark.parametrize(("a", "b"), [((0, 3), (3, 4)), ((2, 3), (3, 0)), ((2, 0), (0, 4)), ((0, 2, 3), (3, 4))])
def test_empty_products_are_those_of_numpy_and_run_nothing(
    integers: Accelerator, a: tuple[int, ...], b: tuple[int, ...]
) -> None:
    before = integers.last
    left, right = np.zeros(a, int), np.zeros(b, int)
    got = integers.matmul(left, right)
    assert got.dtype == np.int32
    assert np.array_equal(got, left @ right)
    bias = np.arange(b[1])
    assert np.array_equal(integers.matmul(left, right, bias=bias), left @ right + bias)
    assert integers.last is before


def test_no_product_is_not_finished(integers: Accelerator) -> None:
    none = (np.zeros((2, 0), int), np.zeros((0, 4), int))
    refuses(lambda: integers.matmul(*none, scale=0.5), "K must be at least 1 where results are finished, got 0")


def test_matrices_that_were_put_stay_while_others_come_and_go(integers: Accelerator) -> None:
    rng = np.random.default_rng(3)
    a, b = numbers(rng, 7, 9), numbers(rng, 9, 11)
    placed_a, placed_b = integers.put(a, "a"), integers.put(b, "b")
    for _ in range(3):
        other = numbers(rng, 20, 9)
        assert np.array_equal(integers.matmul(other, placed_b), other @ b)
        assert np.array_equal(integers.matmul(placed_a, placed_b), a @ b)
        assert np.array_equal(integers.linear(placed_a, placed_b), a @ b)
    assert np.array_equal(integers.fetch(placed_b), b)
    assert np.array_equal(integers.matmul(placed_a, placed_b, a_zero=5), (a - 5) @ b)


def test_floats_are_chains_of_fp32_sums_of_rounded_operands(floats: Accelerator) -> None:
    config = floats.config
    rng = np.random.default_rng(5)
    for m, n, k in ((1, 1, 1), (3, 5, 7), (6, 4, 31)):
        a, b, bias, c = (rng.normal(size=size) for size in ((m, k), (k, n), (n,), (m, n)))
        left, right = to_codes("a", a, BF16, 0), to_codes("b", b, BF16, 0)
        cases: list[tuple[dict[str, Any], Any]] = [({}, np.zeros(n)), ({"bias": bias}, bias), ({"c": c}, c)]
        for how, start in cases:
            want = decode(product(config, left, right, to_codes("start", start, FP32, 0)), FP32)
            got = floats.matmul(a, b, **how)
            assert got.dtype == np.float32
            assert np.array_equal(got, want)
        # Integers are numbers, too.
        assert np.array_equal(floats.matmul(np.arange(k)[None], b), floats.matmul(np.arange(k, dtype=float)[None], b))


def test_floats_that_are_none(floats: Accelerator) -> None:
    a, b = np.array([[np.inf, 1.0], [np.nan, 1.0], [-0.0, 0.0]]), np.array([[1.0, -1.0], [0.0, 2.0]])
    got = floats.matmul(a, b)
    assert np.array_equal(got[0], [np.inf, -np.inf], equal_nan=True)
    assert np.isnan(got[1]).all()
    refuses(lambda: floats.matmul(a, b, a_zero=3), "a_zero must be left out for operands of bf16, got 3")
    refuses(lambda: floats.matmul(a, b, scale=0.5), "scale must be left out for accumulators fp32, got 0.5")
    refuses(lambda: floats.matmul(a > 0, b), "a must hold real numbers, got dtype bool")
    refuses(lambda: floats.matmul([[1j]], b[:1]), "a must hold real numbers, got dtype complex128")
    refuses(lambda: floats.matmul(a, b, point=3), "point must be left out for accumulators fp32, got 3")


def test_two_accelerators_at_once_do_not_know_each_other(integers: Accelerator) -> None:
    rng = np.random.default_rng(8)
    a, b = numbers(rng, 4, 6), numbers(rng, 6, 5)
    mine = integers.put(b, "b")
    with accelerator(INTEGERS, seed=2) as other, accelerator(FLOATS) as third:
        theirs = other.put(-b - 1, "b")
        assert np.array_equal(integers.matmul(a, mine), a @ b)
        assert np.array_equal(other.matmul(a, theirs), a @ (-b - 1))
        assert np.array_equal(third.matmul([[1.5]], [[2.0]]), [[3.0]])
        refuses(lambda: other.matmul(a, mine), "b must be what put of this accelerator has given")
    assert np.array_equal(integers.matmul(a, mine), a @ b)


def test_closed_once_or_twice_it_says_so() -> None:
    closed = accelerator(INTEGERS)
    placed = closed.put([[1]], "b")
    closed.close()
    closed.close()
    with closed:
        pass
    sentence = "the accelerator must be open, and it was closed; make another one"
    for call in (
        lambda: closed.matmul([[1]], [[1]]),
        lambda: closed.matmul([[1]], placed),
        lambda: closed.linear([[1]], [[1]]),
        lambda: closed.put([[1]], "b"),
        lambda: closed.conv2d(np.ones((1, 1, 1, 1), int), np.ones((1, 1, 1, 1), int)),
    ):
        refuses(call, sentence)


def test_a_simulation_is_asked_for_in_words_that_exist() -> None:
    config = config_of(INTEGERS)
    refuses(lambda: Accelerator.simulate(config, foo=1), "option 'foo' does not exist; nearest is 'timeout'")
    refuses(lambda: Accelerator.simulate(config, memory_bytes="x"), "memory_bytes must be a whole number 4096..")
    refuses(lambda: Accelerator.simulate(config, memory_bytes=5000), "memory_bytes must be a multiple of 4096")
    narrow = engine_config({**config.model_dump(), "address_bits": 20})
    others: list[tuple[str, Any, str]] = [
        *(("seed", seed, "seed must be a whole number 1..2147483647, got ") for seed in (0, "x", 1.5)),
        ("settings", "x", "settings must be an AxiMemory, got 'x'"),
        ("trace", 3, "trace must be the path of a file, got 3"),
        ("timeout", "x", "timeout must be a finite number above 0, got 'x'"),
        ("timeout", float("inf"), "timeout must be a finite number above 0, got inf"),
        ("memory_bytes", 1 << 21, "memory_bytes must be a whole number 4096..1048576, got 2097152"),
    ]
    for name, value, words in others:
        refuses(lambda name=name, value=value: Accelerator.simulate(narrow, **{name: value}), words)  # type: ignore[misc]
    refuses(lambda: Accelerator.simulate("engine-4x4"), "preset 'engine-4x4' does not exist; nearest is 'engine-")
    refuses(lambda: Accelerator.simulate(3), "fields must be a mapping of names to values, got 3")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="rows must be a whole number"):
        Accelerator.simulate({"rows": 0})
    transport: Any = None
    refuses(lambda: Accelerator(transport, "x"), "config must be an EngineConfig, got 'x'")  # type: ignore[arg-type]
    refuses(
        lambda: Accelerator(transport, config, watchdog=-1), "watchdog must be a whole number 0..4294967295, got -1"
    )


def test_a_word_of_linear_that_does_not_exist(integers: Accelerator) -> None:
    refuses(lambda: integers.linear([[1]], [[1]], scales=1), "argument 'scales' does not exist; nearest is 'scale'")
    refuses(lambda: integers.linear([[1]], [1]), "weight must be a matrix of two dimensions, got shape (1,)")


def test_profile_needs_a_run() -> None:
    with accelerator(INTEGERS) as fresh:
        refuses(fresh.profile, "profile must come after a run that has ended well; there is none")
