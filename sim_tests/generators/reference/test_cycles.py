"""The cycle model on its own: bounds that it must keep. That it equals the RTL is shown in sim_tests/system."""

from __future__ import annotations

import itertools

import pytest

from tilewright.generators.reference.cycles import CycleModel, Gemm

FLOWS = ("ws", "os", "is")
SIZES = ((16, 16), (4, 9), (12, 3), (1, 8), (8, 1))
SHAPES = ((1, 1, 1), (16, 16, 16), (3, 40, 7), (33, 2, 50), (100, 37, 53))


@pytest.mark.parametrize("seeded", [False, True])
@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_a_change_of_dataflow_costs_at_most_rows_plus_cols_plus_8(rows: int, cols: int, seeded: bool) -> None:
    model = CycleModel(rows, cols, "any", seeded=seeded)
    for first, second in itertools.permutations(FLOWS, 2):
        for one, two in itertools.product(SHAPES, repeat=2):
            before, after = model.run([Gemm(*one, first), Gemm(*two, second)])
            idle = after.first_step - before.last_step - 1
            # A second command that has only just been decoded cannot start earlier.
            if after.first_step > after.taken + 6 + rows:
                assert idle <= rows + cols + 8, (first, second, one, two)


@pytest.mark.parametrize("seeded", [False, True])
@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_commands_of_one_dataflow_follow_without_a_bubble(rows: int, cols: int, seeded: bool) -> None:
    """The second starts when its first fold would follow the last one within a command."""
    model = CycleModel(rows, cols, "any", seeded=seeded)
    for dataflow in FLOWS:
        long, next_one = (100, 37, 53), (33, 40, 50)
        steps = [model.folds(*shape, dataflow)[2] for shape in (long, next_one)]
        before, after = model.run([Gemm(*long, dataflow), Gemm(*next_one, dataflow)])
        last_fold = before.last_step - steps[0] + 1
        assert after.first_step == last_fold + max(steps[0], rows), dataflow


def test_the_law_of_one_command() -> None:
    """folds x max(stream, R) + 2R + C + 16 on 16x16, the waits of read-after-write apart."""
    model = CycleModel(16, 16, "any")
    for dataflow in FLOWS:
        for shape in ((256, 256, 256), (64, 64, 64), (100, 37, 53), (16, 16, 16), (48, 48, 48)):
            outer, inner, steps = model.folds(*shape, dataflow)
            bound = outer * inner * max(steps, 16) + 2 * 16 + 16 + 16
            assert model.cycles(*shape, dataflow) <= bound, (dataflow, shape)


def test_best_is_the_fewest_cycles_that_the_core_can_do() -> None:
    model = CycleModel(16, 16, "any")
    for shape in SHAPES:
        assert model.cycles(*shape, model.best(*shape)) == min(model.cycles(*shape, d) for d in FLOWS)
    assert model.best(100, 37, 53) == "is"
    assert CycleModel(16, 16, "os").best(100, 37, 53) == "os"


def test_zero_sizes_are_answered_at_once() -> None:
    model = CycleModel(16, 16, "any")
    assert {model.cycles(*shape) for shape in ((0, 5, 5), (5, 0, 5), (5, 5, 0), (0, 0, 0))} == {5}
