"""Every processing element against its model, with random controls and operands that are often extreme."""

import re

import numpy as np
import pytest

from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.pe import Element, FlexibleElement, IntegerOperands, OutputElement
from tilewright.sim_tests.hdl.datapath_bench import bench
from tilewright.sim_tests.hdl.pe.elements import ELEMENTS, SATURATING, operands
from tilewright.sim_tests.hdl.pe.model import integers, run

CYCLES = 600
#: How often a control is high: rare ones let sums grow and chains wait.
RATES = {"clear": 0.15, "start": 0.15, "capture": 0.3, "drain": 0.15, "done": 0.3, "seed_done": 0.3}


def operand_words(fmt: IntFormat, vector: int, rng: np.random.Generator) -> list[int]:
    """Elements are a limit, near zero or anything; every third word is the same limit in all places."""
    special = [fmt.min, fmt.max, 0, 1, max(fmt.min, -1)]
    words = []
    for _ in range(CYCLES):
        values = [int(rng.integers(fmt.min, fmt.max + 1)) for _ in range(vector)]
        values = [int(rng.choice(special)) if rng.random() < 0.5 else value for value in values]
        if rng.random() < 0.33:
            values = [(fmt.min, fmt.max)[int(rng.integers(2))]] * vector
        words.append(sum((value % (1 << fmt.width)) << i * fmt.width for i, value in enumerate(values)))
    return words


def sums(width: int, rng: np.random.Generator) -> list[int]:
    half = 1 << width - 1
    return [
        int(rng.choice([-half, half - 1, 0])) if rng.random() < 0.4 else int(rng.integers(-half, half))
        for _ in range(CYCLES)
    ]


def stimulus(element: Element, seed: int) -> dict[str, list[int]]:
    o, rng = integers(element), np.random.default_rng(seed)
    given = {"x_in": operand_words(o.x, o.vector, rng), "y_in": operand_words(o.y, o.vector, rng)}
    given |= {name: sums(o.sum_width, rng) for name in ("sum_in", "seed_in") if name in element.signature.members}
    for control in element.row_controls:
        given[f"{control}_in"] = (rng.random(CYCLES) < RATES.get(control, 0.5)).astype(int).tolist()
    for control in element.column_controls:
        given[control] = (rng.random(CYCLES) < RATES.get(control, 0.5)).astype(int).tolist()
    return given


@pytest.mark.parametrize("label", ELEMENTS)
def test_every_output_in_every_cycle(label: str) -> None:
    element = ELEMENTS[label]
    given = stimulus(element, seed=len(label))
    wanted, got = run(element, given), bench().wiggle(label, given)
    assert wanted.keys() == got.keys()
    for port, values in wanted.items():
        known = 0
        for cycle, value in enumerate(values):
            if value is not None:
                width = len(getattr(element, port))
                assert got[port][cycle] == value % (1 << width), f"{port} in cycle {cycle}"
                known += 1
        assert known > CYCLES - 60, f"{port} is hardly ever known"


@pytest.mark.parametrize("label", [label for label, e in ELEMENTS.items() if not e.operands.wraps])
def test_saturation_happens_at_both_ends(label: str) -> None:
    element = ELEMENTS[label]
    half = 1 << element.operands.sum_width - 1
    seen = set(run(element, stimulus(element, seed=len(label)))["sum_out"])
    assert {half - 1, -half} <= seen


def test_names_tell_all_parameters() -> None:
    names = [element.name for element in ELEMENTS.values()]
    assert len(set(names)) == len(names)
    assert ELEMENTS["stationary_int4_v4"].name == "pe_stationary_int4_int4_v4_acc10_p2"
    assert ELEMENTS["stationary_int4_sat"].name == "pe_stationary_int4_int4_acc9_sat_p1"


@pytest.mark.parametrize("pipeline", [-1, 4])
def test_pipeline(pipeline: int) -> None:
    with pytest.raises(ValueError, match=rf"^pipeline must be 0..3 registers, got {pipeline}$"):
        operands("int8", "int8", 1, pipeline, 32)


@pytest.mark.parametrize("vector", [0, 3, 32])
def test_vector(vector: int) -> None:
    with pytest.raises(ValueError, match=rf"^vector must be one of 1, 2, 4, 8, 16, got {vector}$"):
        operands("int8", "int8", vector, 0, 32)


@pytest.mark.parametrize(("x", "y", "vector", "needed"), [("int8", "int8", 1, 16), ("uint8", "uint8", 4, 19)])
def test_sum_width(x: str, y: str, vector: int, needed: int) -> None:
    sentence = f"acc_width must hold one dot product of {needed} bits, got {needed - 1}"
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        operands(x, y, vector, 0, needed - 1)
    operands(x, y, vector, 0, needed)


@pytest.mark.parametrize("kind", [OutputElement, FlexibleElement])
def test_a_sum_that_starts_from_zero_must_wrap(kind: type[OutputElement | FlexibleElement]) -> None:
    saturating: IntegerOperands = SATURATING["int4_sat"]
    with pytest.raises(ValueError, match=r"that starts from zero must wrap; use Seeded(Output|Flexible)Element$"):
        kind(saturating)
