"""Every unit equals its model at every operand, and so many cycles later as it says."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.generators.emit.emitter import Emitter
from tilewright.hdl.arith.functions import Divider, LeakyRelu, Relu, Rom, function_unit
from tilewright.hdl.numeric import BF16, FP8_E4M3
from tilewright.hdl.numeric.functions import FUNCTIONS, divide, elementary, leaky_relu, relu, relu6
from tilewright.sim_tests.drivers.side_by_side import SideBySide
from tilewright.sim_tests.harness.lint import lint
from tilewright.sim_tests.hdl.arith.function_bench import DIVIDERS, SLOPES, blocks, results
from tilewright.sim_tests.hdl.numeric.compare import assert_codes
from tilewright.sim_tests.hdl.numeric.function_shapes import OTHERS

EVERY = np.arange(1 << 16)

RECTIFIERS: dict[str, Callable[[NDArray[np.int64]], Any]] = {
    "relu_bf16": relu,
    "relu6_bf16": relu6,
    **{f"leaky_relu_{slope}_bf16": partial(leaky_relu, slope=slope) for slope in SLOPES},
}
UNARY = [*FUNCTIONS, *OTHERS, *RECTIFIERS]


def modelled(label: str) -> tuple[str, NDArray[np.unsignedinteger]]:
    """Format and codes of the results of every operand."""
    if label in RECTIFIERS:
        return "bf16", RECTIFIERS[label](EVERY)
    unit = elementary(*OTHERS.get(label, (label,)))
    return unit.out.name, unit.evaluate(EVERY)


@cache
def swept() -> dict[str, NDArray[np.int64]]:
    """Results of every unit of one operand, for every operand."""
    return results({label: {"x": EVERY} for label in UNARY})


@cache
def pairs() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Operands of a division: all pairs of significands at edges of the exponents, pairs of edges, random ones."""
    a, b = (part.ravel() for part in np.meshgrid(np.arange(128), np.arange(128), indexing="ij"))
    exponents = [(127, 127), (1, 127), (1, 128), (127, 254), (0, 134), (254, 127), (254, 126), (0, 1), (1, 253)]
    magnitudes = [0, 1, 2, 63, 64, 127, 128, 129, 255, 0x3F7F, 0x3F80, 0x3F81, 0x7E80, 0x7F7F, 0x7F80, 0x7F81, 0x7FFF]
    edges = np.array([sign << 15 | code for sign in (0, 1) for code in magnitudes])
    some = np.random.default_rng(11).integers(0, 1 << 16, (2, 30_000))
    left, right = (part.ravel() for part in np.meshgrid(edges, edges, indexing="ij"))
    return (
        np.concatenate([*(top << 7 | a for top, _ in exponents), left, some[0]]),
        np.concatenate([*(bottom << 7 | b for _, bottom in exponents), right, some[1]]),
    )


@cache
def divided() -> dict[str, NDArray[np.int64]]:
    """Results of every divider."""
    a, b = pairs()
    return results({label: {"a": a, "b": b} for label in DIVIDERS})


@pytest.mark.parametrize("label", UNARY)
def test_a_unit_equals_its_model_at_every_operand(label: str) -> None:
    out, wanted = modelled(label)
    assert_codes(out, swept()[label], wanted, EVERY)


@pytest.mark.parametrize("label", DIVIDERS)
def test_a_divider_equals_its_model(label: str) -> None:
    a, b = pairs()
    assert_codes("bf16", divided()[label], divide(a, b), a, b)


def test_verilator_has_nothing_to_say() -> None:
    emitter = Emitter("functions")
    emitter.emit(SideBySide(blocks()))
    assert lint({f"{module.name}.v": module.text for module in emitter.modules()}, "functions") == []


def test_latencies_are_those_documented() -> None:
    assert [function_unit(name).latency for name in ("exp", "reciprocal", "log2", "tanh", "silu")] == [6, 5, 6, 5, 7]
    assert [Divider(bits_a_cycle=bits).latency for bits in (1, 2, 3, 11)] == [14, 9, 7, 4]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: function_unit("cos"), "function must be one of exp, reciprocal, "),
        (lambda: function_unit("exp", BF16, 0.4), "error must be at least 0.5 units in the last place, got 0.4; "),
        (lambda: Divider(FP8_E4M3), "format of a divider must have infinities, got fp8_e4m3"),
        (lambda: Divider(bits_a_cycle=12), "bits_a_cycle must be 1..11, got 12; nearest legal value is 11"),
        (lambda: Divider(bits_a_cycle=0), "bits_a_cycle must be 1..11, got 0; nearest legal value is 1"),
        (lambda: Relu(FP8_E4M3), "format of a rectifier must have infinities, got fp8_e4m3"),
        (lambda: LeakyRelu(0), "slope must be 1..7, got 0; nearest legal value is 1"),
        (lambda: LeakyRelu(8), "slope must be 1..7, got 8; nearest legal value is 7"),
        (lambda: Rom("rom", [3], 4), "words must be at least 2, got 1"),
        (lambda: Rom("rom", [3, 16], 4), "words must be of 4 bits, got 16; nearest legal value is 15"),
        (lambda: Rom("rom", [-1, 0], 4), "words must be of 4 bits, got -1; nearest legal value is 0"),
    ],
)
def test_what_is_not_legal_is_refused(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        make()
    assert str(caught.value).startswith(sentence)
