"""The simulated cores differ, and cover what they claim to cover."""

from __future__ import annotations

import random

from tilewright.generators.config.arithmetic import FLOAT_OPERANDS
from tilewright.hdl.numeric import FloatFormat, FxFormat, dot_bits
from tilewright.sim_tests.system.designs import FACTORS, Design, gate_designs, random_designs
from tilewright.sim_tests.system.pairwise import Pair, all_pairs, pairs, pairwise


def choices(design: Design) -> dict[str, str]:
    """The row of `FACTORS` that a design has, read off its configuration."""
    c = design.config
    assert c.integers is not None
    a, b, acc = c.integers
    tight = max(8, dot_bits(a, b, c.vector))
    narrow, wide = sorted((a.width, b.width))
    square = "square" if c.rows == c.cols else "wide" if c.rows < c.cols else "tall"
    return {
        "dataflow": c.dataflow,
        "overflow": "saturate" if c.saturates else "wrap",
        "pipeline": str(c.pipeline),
        "vector": str(c.vector),
        "signs": " ".join("int" if fmt.signed else "uint" for fmt in (a, b)),
        "widths": "narrow" if wide <= 4 else "byte" if narrow == wide == 8 else "wide" if narrow >= 9 else "mixed",
        "shape": "one row" if c.rows == 1 else "one column" if c.cols == 1 else square,
        "accumulator": {tight: "tight", 64: "widest"}.get(acc.width, "roomy"),
        "in flight": "many" if c.in_flight == 4 else "few",
    }


def test_gate_has_ten_distinct_cores_or_more_with_every_choice() -> None:
    designs = gate_designs().values()
    configurations = {design.config.model_copy(update={"module_name": "same"}) for design in designs}
    assert len(configurations) == len(designs) >= 10
    integers = [design for design in designs if design.config.integers is not None]
    for factor, wanted in FACTORS.items():
        assert {choices(design)[factor] for design in integers} >= set(wanted), factor


def test_gate_has_cores_of_every_float_and_kind_of_sum() -> None:
    configs = [design.config for design in gate_designs().values() if design.config.integers is None]
    assert {str(fmt) for config in configs for fmt in (config.a, config.b)} == set(FLOAT_OPERANDS)
    assert {type(config.acc) for config in configs} == {FloatFormat, FxFormat}
    stepped = {config.dataflow for config in configs if config.add_latency > 1}
    assert {config.dataflow for config in configs if config.add_latency == 1} == {"any"} and stepped == {"ws", "os"}
    assert {config.vector for config in configs if isinstance(config.acc, FloatFormat)} == {1, 2, 4}


def test_random_cores_cover_every_pair_of_choices() -> None:
    for seed in (1, 2):
        designs = random_designs(seed, 40)
        covered: set[Pair] = set()
        for design in designs:
            covered |= pairs(choices(design))
        assert covered >= all_pairs(FACTORS)
        assert len({design.config.model_dump_json() for design in designs}) == len(designs) >= 40


def test_random_cores_follow_their_seed() -> None:
    def dump(seed: int) -> list[str]:
        return [design.config.model_dump_json() for design in random_designs(seed, 0)]

    assert dump(7) == dump(7) != dump(8)


def test_pairwise_rows_are_few_and_complete() -> None:
    factors = {"a": "123", "b": "1234", "c": "12", "d": "12345"}
    rows = pairwise(factors, random.Random(1))
    assert set().union(*(pairs(row) for row in rows)) == all_pairs(factors)
    assert 20 <= len(rows) <= 30
    assert len(pairwise(factors, random.Random(1), at_least=50)) == 50
