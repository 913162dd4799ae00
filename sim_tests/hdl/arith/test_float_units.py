"""Multiplication, addition and fused multiply-add of floats: published vectors, all products, hard cases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.arith.cast import FloatCast
from tilewright.hdl.arith.cast_integer import FloatToInteger, IntegerToFloat
from tilewright.hdl.arith.float_multiply import FloatMultiply
from tilewright.hdl.numeric import FP16, FP32, FloatFormat, IntFormat, add, encode, fused_multiply_add, multiply
from tilewright.hdl.numeric.codes import Codes
from tilewright.hdl.structure import Block
from tilewright.sim_tests.hdl.arith.float_blocks import FP8, PRODUCTS, SINGLES
from tilewright.sim_tests.hdl.arith.float_results import results
from tilewright.sim_tests.hdl.numeric import exact
from tilewright.sim_tests.hdl.numeric.compare import assert_codes
from tilewright.sim_tests.hdl.numeric.hard import hard_cases
from tilewright.sim_tests.hdl.numeric.published import published

COUNT = 12_000
OPERATIONS = {"mul": "multiply", "add": "add", "mulAdd": "fma"}
MODELS: dict[str, Callable[..., Codes]] = {"multiply": multiply, "add": add, "fma": fused_multiply_add}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("prefix", "fmt"), [("f16", FP16), ("f32", FP32)])
def test_published_vectors(prefix: str, fmt: FloatFormat, operation: str) -> None:
    *operands, wanted = published(f"{prefix}_{operation}")
    assert wanted.size == 15_000
    formats = "_".join([str(fmt)] * (len(operands) + 1))
    (label,) = (name for name in SINGLES if name.startswith(f"{OPERATIONS[operation]}_{formats}_l"))
    inputs = dict(zip("abc", operands, strict=False))
    got = results(label, inputs, {"result": SINGLES[label].latency})["result"]
    assert_codes(fmt.name, got, wanted, *operands)


@pytest.mark.parametrize("label", SINGLES)
def test_hard_cases(label: str) -> None:
    unit = SINGLES[label]
    kind = label.split("_")[0]
    operands = operands_of(kind, unit.formats, unit.out)
    want = MODELS[kind](*operands, unit.formats, unit.out, unit.overflow)
    got = results(label, dict(zip("abc", operands, strict=False)), {"result": unit.latency})["result"]
    assert_codes(unit.out.name, got, want, *operands)


def operands_of(kind: str, formats: tuple[FloatFormat, ...], out: FloatFormat) -> list[NDArray[np.int64]]:
    """Hard cases of each format; half of the products in the range of ``out`` and a little beyond its ends; the addend
    any, the nearest to what it is added to or a few powers of two away, and its neighbours."""
    rng = np.random.default_rng(7)
    operands = [hard_cases(formats[0].name, COUNT)[0]]
    value = exact.values(formats[0].name, operands[0])
    if kind != "add":
        wanted = rng.uniform(1, 2, COUNT) * 2.0 ** rng.integers(out.last_place - 2, out.emax + 2, COUNT)
        with np.errstate(divide="ignore", invalid="ignore"):
            aimed = near(rng, wanted / value, formats[1])
        operands.append(np.where(rng.random(COUNT) < 0.5, aimed, hard_cases(formats[1].name, COUNT)[1]))
        with np.errstate(invalid="ignore"):
            value = value * exact.values(formats[1].name, operands[1])
    if kind != "multiply":
        powers = np.where(rng.random(COUNT) < 0.5, 0, rng.integers(-60, 61, COUNT))
        sign = rng.choice((-1.0, 1.0), COUNT)
        addend = near(rng, sign * value * 2.0**powers, formats[-1])
        other = rng.integers(0, 1 << formats[-1].width, COUNT)
        operands.append(np.where(rng.random(COUNT) < 0.8, addend, other))
    return operands


def near(rng: np.random.Generator, values: NDArray[np.float64], fmt: FloatFormat) -> NDArray[np.int64]:
    """Codes of values, or up to two beside them."""
    codes = encode(np.asarray(values), fmt, "saturate").astype(np.int64)
    return (codes + rng.integers(-2, 3, codes.size)) & ((1 << fmt.width) - 1)


@pytest.mark.parametrize("a", FP8, ids=str)
@pytest.mark.parametrize("b", FP8, ids=str)
def test_every_product_of_two_8_bit_floats(a: FloatFormat, b: FloatFormat) -> None:
    group = PRODUCTS[a, b]
    left, right = (codes.ravel() for codes in np.meshgrid(np.arange(256), np.arange(256)))
    latencies = {label: unit.latency for label, unit in group.units.items()}
    for label, got in results(group.name, {"a": left, "b": right}, latencies).items():
        unit = group.units[label]
        want = multiply(left, right, (a, b), unit.out, unit.overflow)
        assert_codes(unit.out.name, got, want, left, right)


@pytest.mark.parametrize(
    "unit",
    [
        lambda: FloatMultiply(FP16, FP16, FP16, latency=-1),
        lambda: FloatCast(FP32, FP16, latency=-1),
        lambda: FloatToInteger(FP32, IntFormat(8), latency=-1),
        lambda: IntegerToFloat(IntFormat(8), FP32, latency=-1),
    ],
)
def test_a_negative_latency_is_refused(unit: Callable[[], Block]) -> None:
    with pytest.raises(ValueError, match=r"^latency must be at least 0, got -1; nearest legal value is 0$"):
        unit()
