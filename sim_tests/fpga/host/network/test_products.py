"""Operators that are products, against the reference evaluator of ONNX: bit for bit.

QLinearMatMul and QLinearConv: the evaluator adds the zero point of Y before it rounds, the engine after. Both are the
same unless the scaled sum is a tie and the zero point odd; ties have a test of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.numbers import to_codes
from tilewright.generators.reference.product import product
from tilewright.hdl.numeric import BF16, FP32, decode
from tilewright.sim_tests.fpga.host.engines import refuses
from tilewright.sim_tests.fpga.host.network.models import agrees, expected, model, node, one

F: Any = np.float32
U8: Any = np.uint8
SIGNS = ("int8", "uint8")


def integers_of(rng: np.random.Generator, dtype: str, *shape: int) -> Any:
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max + 1, shape).astype(dtype)


def weights_of(rng: np.random.Generator, dtype: str, zero: int, *shape: int) -> Any:
    """Weights that are int8 with their zero point taken out."""
    limits = np.iinfo(dtype)
    low, high = max(limits.min, zero - 128), min(limits.max, zero + 127)
    return rng.integers(low, high + 1, shape).astype(dtype)


def zero_of(rng: np.random.Generator, dtype: str) -> Any:
    limits = np.iinfo(dtype)
    return np.array(rng.choice([limits.min, 0, int(rng.integers(limits.min, limits.max)), limits.max]), dtype)


def tie_free(scale: Any) -> Any:
    """A scale whose products with sums of less than 2^22 are never ties: its significand is odd in its last bit."""
    bits = np.atleast_1d(np.asarray(scale, F)).view(np.int32) | 1
    return bits.view(F).reshape(np.shape(scale))


@pytest.mark.parametrize("seed", range(12))
def test_matmul_integer(integers: Accelerator, seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = SIGNS[seed % 2], SIGNS[seed // 2 % 2]
    m, n, k = (int(size) for size in rng.integers(1, 14, 3))
    zero = int(rng.integers(60, 190)) if right == "uint8" else int(rng.integers(-3, 4))
    b_zero = [None, np.array(zero, right), np.full(n, zero, right) + rng.integers(-2, 3, n).astype(right)][seed % 3]
    b = weights_of(rng, right, zero, k, n)
    if b_zero is None:
        b = np.minimum(b, 127).astype(right)
    else:
        b = np.clip(b, max(zero - 120, np.iinfo(right).min), min(zero + 120, np.iinfo(right).max)).astype(right)
    a_zero = None if seed % 4 == 3 else zero_of(rng, left)
    stack = (2,) if seed % 5 == 4 else ()
    agrees(
        integers, *one("MatMulInteger", {"a": integers_of(rng, left, *stack, m, k), "b": b, "az": a_zero, "bz": b_zero})
    )


@pytest.mark.parametrize("seed", range(16))
def test_qlinear_matmul(integers: Accelerator, seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    left, right, out = SIGNS[seed % 2], SIGNS[seed // 2 % 2], SIGNS[seed // 4 % 2]
    m, n, k = (int(size) for size in rng.integers(1, 14, 3))
    zero = int(rng.integers(100, 150)) if right == "uint8" else int(rng.integers(-2, 3))
    b = np.clip(weights_of(rng, right, zero, k, n), max(zero - 90, np.iinfo(right).min), zero + 90).astype(right)
    per_column = seed % 3 == 2
    operands = {
        "a": integers_of(rng, left, m, k),
        "as": F(0.03125),
        "az": zero_of(rng, left),
        "b": b,
        "bs": tie_free(rng.uniform(0.01, 0.2, n if per_column else ()).astype(F)),
        "bz": np.full(n, zero, right) if per_column else np.array(zero, right),
        "ys": F(1.0),
        "yz": zero_of(rng, out),
    }
    got = agrees(integers, *one("QLinearMatMul", operands))
    assert got.dtype.name == out


def test_ties_are_rounded_before_the_zero_point_is_added(integers: Accelerator) -> None:
    a = np.arange(-8, 9, dtype=np.int8)[:, None]
    for zero, same in ((0, True), (4, True), (-6, True), (1, False), (-5, False)):
        operands = {
            "a": a, "as": F(0.5), "az": np.int8(0), "b": np.array([[1]], np.int8), "bs": F(1), "bz": np.int8(0),
            "ys": F(1), "yz": np.int8(zero),
        }  # fmt: skip
        network, inputs = one("QLinearMatMul", operands)
        got = integers.run(network, inputs)["y"]
        assert np.array_equal(got, np.rint(a * 0.5) + zero)
        assert np.array_equal(got, expected(network, inputs)) == same


CONVOLUTIONS: list[dict[str, Any]] = [
    {},
    {"pads": [1, 1, 1, 1]},
    {"strides": [2, 1], "pads": [0, 2, 1, 0]},
    {"dilations": [2, 1], "pads": [2, 0, 0, 3]},
    {"strides": [3, 2], "dilations": [1, 2], "kernel_shape": [3, 2]},
    {"auto_pad": "VALID"},
]


@pytest.mark.parametrize("case", range(len(CONVOLUTIONS)))
@pytest.mark.parametrize("seed", range(2))
def test_conv_integer(integers: Accelerator, case: int, seed: int) -> None:
    rng = np.random.default_rng(200 + 10 * seed + case)
    left, right = SIGNS[(case + seed) % 2], SIGNS[case // 2 % 2]
    zero = int(rng.integers(100, 150)) if right == "uint8" else int(rng.integers(-2, 3))
    low = max(zero - 90, np.iinfo(right).min)
    shape = (int(rng.integers(1, 3)), int(rng.integers(1, 5)), 7, 6)
    channels = int(rng.integers(1, 7))
    w = np.clip(weights_of(rng, right, zero, channels, shape[1], 3, 2), low, zero + 90).astype(right)
    w_zero = np.full(channels, zero, right) if channels > 1 and seed else np.array(zero, right)
    operands = {"x": integers_of(rng, left, *shape), "w": w, "xz": zero_of(rng, left), "wz": w_zero}
    agrees(integers, *one("ConvInteger", operands, **CONVOLUTIONS[case]))


@pytest.mark.parametrize("case", range(len(CONVOLUTIONS)))
@pytest.mark.parametrize("seed", range(2))
def test_qlinear_conv(integers: Accelerator, case: int, seed: int) -> None:
    rng = np.random.default_rng(300 + 10 * seed + case)
    left, right, out = SIGNS[(case + seed) % 2], SIGNS[case // 2 % 2], SIGNS[case // 3 % 2]
    zero = int(rng.integers(100, 150)) if right == "uint8" else 0
    low = max(zero - 90, np.iinfo(right).min)
    channels = int(rng.integers(2, 7))
    w = np.clip(weights_of(rng, right, zero, channels, 3, 3, 2), low, zero + 90).astype(right)
    operands = {
        "x": integers_of(rng, left, 1, 3, 7, 6),
        "xs": F(0.0625),
        "xz": zero_of(rng, left),
        "w": w,
        "ws": tie_free(rng.uniform(0.005, 0.1, channels if seed else ()).astype(F)),
        "wz": np.full(channels, zero, right) if seed else np.array(zero, right),
        "ys": F(1.0),
        "yz": zero_of(rng, out),
        "bias": rng.integers(-2000, 2000, channels).astype(np.int32) if case % 2 else None,
    }
    agrees(integers, *one("QLinearConv", operands, **CONVOLUTIONS[case]))


@pytest.mark.parametrize("bias", [None, (), (1,), (5,), (1, 5), (4, 1), (4, 5)])
@pytest.mark.parametrize("trans", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_gemm_of_integers(integers: Accelerator, trans: tuple[int, int], bias: tuple[int, ...] | None) -> None:
    rng = np.random.default_rng(17)
    a, b = rng.integers(-99, 99, (4, 7)).astype(np.int32), rng.integers(-99, 99, (7, 5)).astype(np.int32)
    operands = {
        "a": np.ascontiguousarray(a.T if trans[0] else a),
        "b": np.ascontiguousarray(b.T if trans[1] else b),
        "c": None if bias is None else rng.integers(-9999, 9999, bias).astype(np.int32),
    }
    agrees(integers, *one("Gemm", operands, transA=trans[0], transB=trans[1]))


def test_matmul_of_integers(integers: Accelerator) -> None:
    rng = np.random.default_rng(18)
    for left, right in (((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (3, 4, 2))):
        a, b = (rng.integers(-99, 99, shape).astype(np.int32) for shape in (left, right))
        agrees(integers, *one("MatMul", {"a": a, "b": b}))


@pytest.mark.parametrize("trans", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("bias", [None, (), (1,), (5,), (3, 1), (3, 5)])
def test_gemm_of_floats_is_a_chain_of_fp32_sums_of_rounded_operands(
    floats: Accelerator, bias: tuple[int, ...] | None, trans: tuple[int, int]
) -> None:
    rng = np.random.default_rng(19)
    a, b = rng.normal(size=(3, 11)).astype(F), rng.normal(size=(11, 5)).astype(F)
    c = None if bias is None else np.asarray(rng.normal(size=bias), F)
    network, inputs = one(
        "Gemm", {"a": a.T if trans[0] else a, "b": b.T if trans[1] else b, "c": c}, transA=trans[0], transB=trans[1]
    )
    (got,) = floats.run(network, inputs).values()
    start = to_codes("c", np.broadcast_to(F(0) if c is None else c, (3, 5)), FP32, 0)
    want = product(floats.config, to_codes("a", a, BF16, 0), to_codes("b", b, BF16, 0), start)
    assert got.dtype == F
    assert np.array_equal(got, decode(want, FP32))
    # ONNX's own arithmetic is that of fp32: of operands that bf16 has, with sums that are exact, it is the same.
    whole = {"a": rng.integers(-9, 9, (3, 4)).astype(F), "b": rng.integers(-9, 9, (4, 5)).astype(F)}
    agrees(floats, *one("Gemm", whole))


def test_matmul_of_floats(floats: Accelerator) -> None:
    rng = np.random.default_rng(20)
    a, b = rng.normal(size=(2, 3, 6)).astype(F), rng.normal(size=(6, 4)).astype(F)
    (got,) = floats.run(*one("MatMul", {"a": a, "b": b})).values()
    codes = [to_codes("a", each, BF16, 0) for each in a]
    want = [product(floats.config, each, to_codes("b", b, BF16, 0), np.zeros((3, 4), int)) for each in codes]
    assert np.array_equal(got, decode(np.stack(want), FP32))


Q = {"a": np.ones((2, 3), np.uint8), "as": F(1), "az": np.uint8(0), "b": np.ones((3, 2), np.int8), "bs": F(1),
     "bz": np.int8(0), "ys": F(1), "yz": np.uint8(0)}  # fmt: skip
C = {"x": np.ones((1, 1, 4, 4), np.int8), "w": np.ones((1, 1, 2, 2), np.int8)}
REFUSED: dict[str, tuple[Any, str]] = {
    "weights": (
        one("MatMulInteger", {"a": Q["a"], "b": U8([[0], [9], [255]]), "az": None, "bz": np.uint8(100)}),
        "node 'the_y' (MatMulInteger): B less its zero point must be of int8, -128..127, got -100..155",
    ),
    "zero points": (
        one("QLinearMatMul", {**Q, "bz": np.zeros(3, np.int8)}),
        "node 'the_y' (QLinearMatMul): the zero point of B must be one number, or one for each of 2, got shape (3,)",
    ),
    "weights of a convolution": (
        one("ConvInteger", {**C, "w": np.full((1, 1, 2, 2), -128, np.int8), "xz": None, "wz": np.int8(1)}),
        "node 'the_y' (ConvInteger): B less its zero point must be of int8, -128..127, got -129..-129",
    ),
    "alpha": (one("Gemm", {"a": np.ones((1, 1), np.int32), "b": np.ones((1, 1), np.int32)}, alpha=2.0),
              "node 'the_y' (Gemm) must have alpha 1, got 2.0"),
    "beta": (one("Gemm", {"a": np.ones((1, 1), np.int32), "b": np.ones((1, 1), np.int32)}, beta=0.5),
             "node 'the_y' (Gemm) must have beta 1, got 0.5"),
    "group": (one("ConvInteger", C, group=2), "node 'the_y' (ConvInteger) must have group 1, got 2"),
    "auto_pad": (one("ConvInteger", C, auto_pad="SAME_UPPER"),
                 "node 'the_y' (ConvInteger) must have auto_pad NOTSET or VALID, got b'SAME_UPPER'"),
    "floats": (one("MatMul", {"a": np.ones((1, 2), F), "b": np.ones((2, 1), F)}),
               "node 'the_y' (MatMul): operands must be those of the engine, int8, got float32"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_run_is_refused_by_node_and_operator_before_anything_runs(
    integers: Accelerator, case: str
) -> None:
    (network, inputs), sentence = REFUSED[case]
    before = integers.last
    refuses(lambda: integers.run(network, inputs), sentence)
    assert integers.last is before


AT_RUN: dict[str, tuple[Any, str]] = {
    "a zero point for each row": (one("MatMulInteger", {"a": Q["a"], "b": Q["b"], "az": np.zeros(2, np.uint8)}),
                                  "the zero point of A must be one number, got shape (2,)"),
    "a scale for each row": (one("QLinearMatMul", {**Q, "as": np.ones(2, F)}), "scales of A and Y must be one number"),
    "int32 results": (one("QLinearMatMul", {**Q, "yz": np.int32(0)}), "results must be of 8 bits as the engine's are"),
    "too large a scale": (one("QLinearMatMul", {**Q, "ys": F(1e-30)}), "scale must be numbers from"),
    "shapes": (one("MatMulInteger", {"a": Q["a"].T, "b": Q["b"]}), "b must have as many rows as a has columns, 2"),
    "a picture of one dimension": (one("ConvInteger", {"x": C["x"][0, 0], "w": C["w"]}), "must have four dimensions"),
    "bias": (one("Gemm", {"a": np.ones((2, 2), np.int32), "b": np.ones((2, 2), np.int32), "c": np.ones(3, np.int32)}),
             "operands must fit together"),
    "a vector": (one("Gemm", {"a": np.ones(2, np.int32), "b": np.ones((2, 2), np.int32)}), "a must be a matrix of two"),
}  # fmt: skip


@pytest.mark.parametrize("case", AT_RUN)
def test_operands_that_do_not_fit_are_refused_by_node(integers: Accelerator, case: str) -> None:
    (network, inputs), sentence = AT_RUN[case]
    refuses(lambda: integers.run(network, inputs), sentence)
    refuses(lambda: integers.run(network, inputs), "node 'the_y' (")


def test_integers_on_an_engine_of_floats(floats: Accelerator) -> None:
    before = floats.last
    for op, operands in (("MatMulInteger", {"a": Q["a"], "b": Q["b"]}), ("QLinearMatMul", Q), ("ConvInteger", C)):
        refuses(
            lambda op=op, operands=operands: floats.run(*one(op, operands)),  # type: ignore[misc]
            f"node 'the_y' ({op}): operands must be those of the engine, bf16, got integers",
        )
    assert floats.last is before


def test_a_node_late_in_the_network_is_refused_before_the_first_one_runs(integers: Accelerator) -> None:
    x = np.ones((2, 3), np.int32)
    nodes = [node("MatMul", ["x", "w"], "h"), node("Softmax", ["h"], "y")]
    network = model(nodes, {"x": x}, {"w": np.ones((3, 2), np.int32)}, "y")
    before = integers.last
    refuses(lambda: integers.run(network, {"x": x}), "'the_y': operator 'Softmax' does not exist; nearest is")
    assert integers.last is before
