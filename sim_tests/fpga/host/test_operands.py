from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.operands import binary_point, less_zero, zero_of_a
from tilewright.generators.config.engine import engine_config
from tilewright.sim_tests.fpga.host.engines import refuses

RNG = np.random.default_rng(1)
A, B = RNG.integers(-128, 128, (5, 7)), RNG.integers(-128, 128, (7, 6))


class OnlyArray:
    def __init__(self, array: Any) -> None:
        self._array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._array.copy()


class OnlyDlpack:
    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **how: Any) -> Any:
        return self._array.__dlpack__(**how)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


FORMS: dict[str, Callable[[Any], Any]] = {
    "lists": lambda x: x.tolist(),
    "tuples": lambda x: tuple(map(tuple, x.tolist())),
    "Fortran order": np.asfortranarray,
    "every other one of a larger array": lambda x: np.repeat(np.repeat(x, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "big-endian": lambda x: x.astype(">i4"),
    "int8": lambda x: x.astype(np.int8),
    "read-only": lambda x: np.broadcast_to(x, x.shape),
    "masked arrays without masked values": lambda x: np.ma.masked_array(x, np.zeros(x.shape, bool)),
    "__array__ only": OnlyArray,
    "__dlpack__ only": OnlyDlpack,
    "lists of numpy's integers": lambda x: [list(row) for row in x],
}


@pytest.mark.parametrize("form", FORMS)
def test_arrays_of_any_kind(integers: Accelerator, form: str) -> None:
    make = FORMS[form]
    assert np.array_equal(integers.matmul(make(A), make(B)), A @ B)
    assert np.array_equal(integers.matmul(integers.put(make(A), "a"), integers.put(make(B), "b")), A @ B)
    assert np.array_equal(integers.linear(make(A), make(B.T)), A @ B)
    if form != "int8":  # C has more bits
        assert np.array_equal(integers.matmul(A, B, c=make(A @ B)), 2 * (A @ B))


def test_unsigned_arrays(integers: Accelerator) -> None:
    assert np.array_equal(integers.matmul(np.abs(A // 2).astype(np.uint8), B), np.abs(A // 2) @ B)
    refuses(
        lambda: integers.matmul(np.full((5, 7), 200, np.uint8), B), "a must hold values of int8, -128..127, got 200"
    )


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "floats": (lambda e: e.matmul(A * 1.0, B), "a must hold integers, got dtype float64"),
    "floats in b": (lambda e: e.matmul(A, B * 1.0), "b must hold integers, got dtype float64"),
    "truth values": (lambda e: e.matmul(A > 0, B), "a must hold integers, got dtype bool"),
    "complex": (lambda e: e.matmul(A * 1j, B), "a must hold integers, got dtype complex128"),
    "text": (lambda e: e.matmul("abc", B), "a must be a matrix of two dimensions, got shape ()"),
    "nothing": (lambda e: e.matmul(None, B), "a must be a matrix of two dimensions, got shape ()"),
    "an object": (lambda e: e.matmul([[object()]], [[1]]), "a must hold integers, got dtype object"),
    "large integers": (lambda e: e.matmul([[1 << 80]], [[1]]), "a must hold integers, got dtype object"),
    "ragged": (lambda e: e.matmul([[1, 2], [3]], B), "nearest legal value is a list of rows of one length"),
    "masked": (lambda e: e.matmul(np.ma.masked_array(A, A > 0), B), "a must have all its values, got masked ones"),
    "a number": (lambda e: e.matmul(3, B), "a must be a matrix of two dimensions, got shape ()"),
    "a row": (lambda e: e.matmul(A[0], B), "a must be a matrix of two dimensions, got shape (7,)"),
    "a column": (lambda e: e.matmul(A, B[:, 0]), "b must be a matrix of two dimensions, got shape (7,)"),
    "shapes": (lambda e: e.matmul(A, A), "b must have as many rows as a has columns, 7, got shape (5, 7); nearest"),
    "empty shapes": (
        lambda e: e.matmul(A[:0], B[:3]),
        "b must have as many rows as a has columns, 7, got shape (3, 6)",
    ),
    "stacks": (lambda e: e.matmul([A] * 2, [B] * 3), "stacks of matrices that go together, got (2,) and (3,); nearest"),
    "range": (lambda e: e.matmul(A * 0 + 128, B), "got 128; nearest legal value is 127"),
    "bias, shape": (lambda e: e.matmul(A, B, bias=[1]), "bias must have shape (1, 6), got (1, 1); nearest"),
    "bias, text": (lambda e: e.matmul(A, B, bias="x"), "bias must have shape (1, 6), got ()"),
    "bias, floats": (lambda e: e.matmul(A, B, bias=np.ones(6)), "bias must hold integers, got dtype float64"),
    "bias, range": (lambda e: e.matmul(A, B, bias=[1 << 31] * 6), "got 2147483648; nearest legal value is 2147483647"),
    "bias, matrix": (lambda e: e.matmul(A, B, bias=A @ B), "bias must have shape (1, 6), got (5, 6)"),
    "bias with zero": (lambda e: e.matmul(A, B, bias=[1], a_zero=3), "bias must have shape (1, 6), got (1, 1)"),
    "c, shape": (lambda e: e.matmul(A, B, c=A), "c must have shape (5, 6), got (5, 7); nearest legal shape is (5, 6)"),
    "c, ragged": (lambda e: e.matmul(A, B, c=[[1], [2, 3]]), "c must be a matrix, got [[1], [2, 3]]"),
    "both": (lambda e: e.matmul(A, B, bias=[1] * 6, c=A @ B), "bias and c must not be given together"),
    "zero, float": (lambda e: e.matmul(A, B, a_zero=1.5), "a_zero must be a whole number -128..127, got 1.5; nearest"),
    "zero, text": (lambda e: e.matmul(A, B, a_zero="x"), "got 'x'; nearest legal value is 0"),
    "zero, none": (lambda e: e.matmul(A, B, a_zero=None), "a_zero must be a whole number -128..127, got None"),
    "zero, truth": (lambda e: e.matmul(A, B, a_zero=True), "a_zero must be a whole number -128..127, got True"),
    "zero, range": (lambda e: e.matmul(A, B, a_zero=128), "got 128; nearest legal value is 127"),
    "zero, huge": (
        lambda e: e.matmul(A, B, a_zero=10**5000),
        "a_zero must be a whole number -128..127, got a number of",
    ),
    "zero, array": (
        lambda e: e.matmul(A, B, a_zero=np.array([1, 2])),
        "a_zero must be a whole number -128..127, got ar",
    ),
    "point": (lambda e: e.matmul(A, B, point=3), "point must be left out for accumulators int32, got 3"),
    "operand": (lambda e: e.put(B, "c"), "operand 'c' does not exist; nearest is"),
    "no operand": (lambda e: e.put(B, None), "operand None does not exist; nearest is"),
    "put a row": (lambda e: e.put(B[0], "b"), "b must be a matrix of two dimensions, got shape (6,)"),
    "put a stack": (lambda e: e.put(B[None], "b"), "b must be a matrix of two dimensions, got shape (1, 7, 6)"),
    "put floats": (lambda e: e.put(B * 0.5, "b"), "b must hold integers, got dtype float64"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_in_a_sentence_and_nothing_runs(integers: Accelerator, case: str) -> None:
    before = integers.last
    call, sentence = REFUSED[case]
    refuses(lambda: call(integers), sentence)
    assert integers.last is before
    assert np.array_equal(integers.matmul(A, B), A @ B)


def test_a_matrix_in_memory_of_the_other_operands_format(floats: Accelerator, integers: Accelerator) -> None:
    placed = integers.put(B, "b")
    refuses(lambda: floats.matmul([[1.0]], placed), "b must be what put of this accelerator has given")


def test_accumulators_that_saturate_must_hold_the_corrected_row() -> None:
    config = engine_config({"overflow": "saturate", "acc": "int20"})
    b = np.array([[100, -100], [27, 0]])
    assert less_zero(config, np.array([[5, 7]]), 10, b).tolist() == [[5 - 1270, 7 + 1000]]
    assert less_zero(config, None, -3, b).tolist() == [[381, -300]]
    refuses(
        lambda: less_zero(config, np.array([[0, (1 << 19) - 1]]), 1, b),
        "bias less a_zero times the sums of the columns of b must hold values of int20, -524288..524287, got 524387",
    )
    wraps = engine_config({"overflow": "wrap", "acc": "int20"})
    assert less_zero(wraps, np.array([[0, (1 << 19) - 1]]), 1, b).tolist() == [[-127, -(1 << 19) + 99]]


def test_the_binary_point_of_windows() -> None:
    config = engine_config({"a": "bf16", "b": "bf16", "acc": "fx48"})
    assert [binary_point(config, point) for point in (None, 0, -512, 512)] == [24, 0, -512, 512]
    refuses(
        lambda: binary_point(config, 513), "point must be a whole number -512..512, got 513; nearest legal value is 512"
    )
    refuses(lambda: binary_point(config, 1.5), "point must be a whole number -512..512, got 1.5")


def test_the_zero_point_of_unsigned_operands() -> None:
    config = engine_config({"a": "uint8", "b": "int8"})
    assert zero_of_a(config, 255) == 255
    refuses(lambda: zero_of_a(config, -1), "a_zero must be a whole number 0..255, got -1; nearest legal value is 0")
