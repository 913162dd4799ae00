import numpy as np
import pytest

from tilewright.hdl.stream import Credit
from tilewright.sim_tests.hdl.stream.bench import CREDITS, bench


def model(take: list[int], give: list[int]) -> list[tuple[int, int, int]]:
    """available, count, error in each cycle."""
    left, error, seen = CREDITS, 0, []
    for taken, given in zip(take, give, strict=True):
        seen.append((int(left > 0), left, error))
        error |= int(taken and left == 0) | int(given and left == CREDITS)
        left += int(given and left < CREDITS) - int(taken and left > 0)
    return seen


def measured(take: list[int], give: list[int]) -> list[tuple[int, int, int]]:
    out = bench().wiggle("credit", {"take": take, "give": give})
    return list(zip(out["available"], out["count"], out["error"], strict=True))


@pytest.mark.parametrize("taking", [0.2, 0.5, 0.8])
def test_counts_like_the_model(taking: float) -> None:
    rng = np.random.default_rng(int(taking * 10))
    take, give = (rng.random(500) < taking).astype(int).tolist(), (rng.random(500) < 1 - taking).astype(int).tolist()
    assert measured(take, give) == model(take, give)


def test_a_producer_that_asks_first_makes_no_error() -> None:
    rng = np.random.default_rng(1)
    left, owed, take, give = CREDITS, 0, [], []
    for _ in range(400):
        take.append(int(left > 0 and rng.random() < 0.7))
        give.append(int(owed > 0 and rng.random() < 0.5))
        left, owed = left + give[-1] - take[-1], owed + take[-1] - give[-1]
    seen = measured(take, give)
    assert {error for _, _, error in seen} == {0}
    assert {count for _, count, _ in seen} == set(range(CREDITS + 1))


def test_taking_too_much_and_giving_too_much_are_errors_one_cycle_later() -> None:
    too_much = [1] * (CREDITS + 1) + [0, 0]
    assert [error for _, _, error in measured(too_much, [0] * len(too_much))] == [0] * (CREDITS + 1) + [1, 1]
    assert [error for _, _, error in measured([0, 0, 0], [0, 1, 0])] == [0, 0, 1]
    # A credit that is given in this cycle can be taken in the next one only.
    assert measured([1] * (CREDITS + 1) + [0], [0] * CREDITS + [1, 0])[-1] == (1, 1, 1)


def test_reset_gives_all_credits_back_and_forgets_the_error() -> None:
    run = bench().drive(bench().run(), "credit", {"take": [1] * (CREDITS + 2)}).expect("credit_out", 12)
    out = bench().outputs(run.reset(9).execute(), "credit")
    assert (out["count"][CREDITS + 2], out["error"][CREDITS + 2]) == (0, 1)
    assert (out["count"][-1], out["error"][-1]) == (CREDITS, 0)


def test_limit() -> None:
    with pytest.raises(ValueError, match=r"^limit must be at least 1 credit, got 0$"):
        Credit(0)
