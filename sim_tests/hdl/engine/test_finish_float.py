"""Float results: roundings, activations, windows with points of their own, what overflows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.engine.finish import Finish
from tilewright.hdl.engine.finish_parameters import FinishParameters
from tilewright.hdl.numeric import BF16, FP32, FloatFormat, FxFormat, decode, encode
from tilewright.sim_tests.hdl.engine.finish_blocks import ALL, FLOATS
from tilewright.sim_tests.hdl.engine.finish_runs import Matrix, block, finished, float_matrix
from tilewright.sim_tests.hdl.stream.bench import PACES

Codes = NDArray[np.int64]

FROM_FP32 = [label for label, p in FLOATS.items() if p.acc == FP32]
FROM_WINDOWS = [label for label in FLOATS if label not in FROM_FP32]
BYTES = [label for label in FROM_FP32 if FLOATS[label].lane.out.width == 8]


def result_format(label: str) -> FloatFormat:
    out = FLOATS[label].result
    assert isinstance(out, FloatFormat)
    return out


def as_matrix(values: Codes, columns: int = 8) -> Codes:
    return np.pad(values, (0, -len(values) % columns), mode="edge").reshape(-1, columns)


def between(out: FloatFormat, codes: Codes) -> Codes:
    """Codes of fp32: finite numbers of ``out``, halfway to the next above, and just beside halfway; both signs."""
    below, above = decode(codes, out), decode(np.minimum(codes + 1, out.largest_bits), out)
    above = np.where(codes == out.largest_bits, below + (below - decode(np.maximum(codes - 1, 0), out)), above)
    exact = np.concatenate([below, (below + above) / 2]) if out != FP32 else below
    found = encode(exact, FP32).astype(np.int64)
    found = np.unique(np.concatenate([found, np.maximum(found - 1, 0), found + 1]))
    return np.concatenate([found, found | FP32.sign_bit])


def specials() -> Codes:
    ends = [0, 1, 2, (1 << 23) - 1, 1 << 23, FP32.largest_bits, 0x7F800000, FP32.nan_bits, 0x7F800001, 0x7FFFFFFF]
    return np.array([sign | code for code in ends for sign in (0, FP32.sign_bit)], np.int64)


def activations(label: str) -> list[str]:
    return ["none", "relu", *FLOATS[label].functions]


@pytest.mark.parametrize("label", BYTES)
def test_every_8_bit_result_and_every_tie_between_two(label: str) -> None:
    out = result_format(label)
    values = as_matrix(np.concatenate([between(out, np.arange(out.largest_bits + 1)), specials()]))
    matrices = [float_matrix(label, values, activation) for activation in activations(label)]
    finite = set(range(out.largest_bits + 1))
    assert finite | {code | out.sign_bit for code in finite} <= set(np.unique(matrices[0].results))
    finished(label, matrices)


@pytest.mark.parametrize("label", [label for label in FROM_FP32 if label not in BYTES])
def test_ties_between_results_of_all_binades(label: str) -> None:
    out, rng = result_format(label), np.random.default_rng(5)
    codes = np.concatenate([np.arange(40), out.largest_bits - np.arange(40), rng.integers(0, out.largest_bits, 2000)])
    values = as_matrix(np.concatenate([between(out, codes), specials()]))
    finished(label, [float_matrix(label, values, activation) for activation in activations(label)])


@pytest.mark.parametrize("label", [label for label in FROM_FP32 if FLOATS[label].functions])
def test_functions_of_operands_of_all_binades(label: str) -> None:
    high = np.arange(0, 1 << 16, 13)
    values = as_matrix((high << 16) | np.random.default_rng(3).integers(0, 1 << 16, high.shape))
    finished(label, [float_matrix(label, values, activation) for activation in FLOATS[label].functions])


def test_functions_change_from_one_matrix_to_the_next() -> None:
    rng = np.random.default_rng(9)
    names = ["none", *ALL, "relu"]
    choices = [names[int(rng.integers(0, len(names)))] for _ in range(200)]
    values = encode(rng.integers(-256, 256, (200, 1, 2)) / 32, FP32).astype(np.int64)
    finished("bf16", [float_matrix("bf16", each, name) for each, name in zip(values, choices, strict=True)])


def test_a_function_that_was_not_built_in_is_none() -> None:
    values = as_matrix(encode(np.arange(-20, 20) / 8, FP32).astype(np.int64))
    plain = float_matrix("e5m2", values, "gelu")
    assert np.array_equal(plain.results, float_matrix("e5m2", values).results)
    finished("e5m2", [plain, float_matrix("e5m2", values, "silu")])


def window_matrix(label: str, rng: np.random.Generator, activation: str) -> Matrix:
    """Numbers of all lengths, some invalid, at a point at which results are finite or at any point at all."""
    window = FLOATS[label].acc
    assert isinstance(window, FxFormat)
    shape = (int(rng.integers(1, 5)), int(rng.integers(1, 9)))
    integers = rng.integers(window.min, window.max, shape, endpoint=True) >> rng.integers(0, window.width, shape)
    flags = rng.integers(0, 8, shape) * (rng.random(shape) < 0.2)
    point = int(rng.integers(0, window.width) if rng.random() < 0.6 else rng.integers(-512, 513))
    return float_matrix(label, (integers & ((1 << window.width) - 1)) | flags << window.width, activation, point)


@pytest.mark.parametrize("label", FROM_WINDOWS)
def test_windows_with_points_of_their_own(label: str) -> None:
    rng, names = np.random.default_rng(17), activations(label)
    matrices = [window_matrix(label, rng, names[index % len(names)]) for index in range(150)]
    finished(label, matrices)


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", ["bf16", "e4m3_sat", "fx32_e4m3"])
def test_stalls(label: str, pace: str) -> None:
    rng, lanes, width = np.random.default_rng(23), FLOATS[label].lanes, FLOATS[label].acc_bits
    shapes = [(1, 1), (3, lanes), (2, 2 * lanes + 1), (9, 3 * lanes)] * 3
    names = activations(label)
    matrices = [
        float_matrix(label, rng.integers(0, 1 << width, shape), names[index % len(names)])
        for index, shape in enumerate(shapes)
    ]
    finished(label, matrices, pace, seed=5)


@pytest.mark.parametrize("label", FLOATS)
def test_latency_and_throughput_are_those_of_the_datasheet(label: str) -> None:
    matrices = [float_matrix(label, np.ones((rows, FLOATS[label].lanes), np.int64)) for rows in (1, 1, 1, 70)]
    result = finished(label, matrices)
    taken, given = result[f"{label}_i"].cycle, result[f"{label}_o"]
    assert given.offer[0] - taken[0] == block(label).latency
    assert set(np.diff(given.cycle)) == {1}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"functions": ("exp",)}, "functions must be some of sigmoid, tanh, silu, gelu, got 'exp'"),
        ({"acc": BF16}, "accumulators must be fp32 or a window, got bf16; nearest legal value is fp32"),
    ],
)
def test_what_is_refused(changes: dict[str, object], sentence: str) -> None:
    parameters = FinishParameters(**{"lanes": 1, "acc": FP32, "result": BF16} | changes)  # type: ignore[arg-type]
    with pytest.raises(ValueError) as caught:
        Finish(parameters)
    assert str(caught.value) == sentence
