import numpy as np
import pytest

from tilewright.hdl.stream import Join
from tilewright.sim_tests.harness import Limits
from tilewright.sim_tests.harness.run import execute
from tilewright.sim_tests.hdl.stream.bench import PACES, bench, numbers


def zipped(count: int, seed: int) -> tuple[list[int], list[int], list[int]]:
    a, b = numbers(count, seed, 7), numbers(count, seed + 1, 13)
    return a, b, [x | y << 7 for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize("pace", PACES)
def test_payloads_meet_their_partners(pace: str) -> None:
    idle, stall = PACES[pace]
    a, b, both = zipped(300, 1)
    run = bench().run(2).send("join_i_a", bench().payloads(a, "join_i_a"), stall=idle)
    run.send("join_i_b", bench().payloads(b, "join_i_b"), stall=0.3)
    run.expect("join_o", bench().payloads(both, "join_o"), stall=stall).execute()


def test_latency_and_throughput_are_those_of_the_datasheet() -> None:
    a, b, both = zipped(50, 2)
    run = bench().run().send("join_i_a", bench().payloads(a, "join_i_a"))
    run.send("join_i_b", bench().payloads(b, "join_i_b"), not_before=7)
    result = run.expect("join_o", bench().payloads(both, "join_o")).execute()
    later = np.maximum(result["join_i_a"].cycle, result["join_i_b"].cycle)
    assert set(result["join_o"].offer - later) == {Join.latency}
    assert set(np.diff(result["join_o"].cycle)) == {1 / Join.throughput}


def test_an_input_runs_two_payloads_ahead() -> None:
    run = bench().run().send("join_i_a", bench().payloads(range(9), "join_i_a")).limits(Limits(quiet=40))
    result = execute(run.build, run.plan)
    assert (len(result["join_i_a"]), len(result["join_o"])) == (2, 0)


def test_after_a_reset_partners_meet_again() -> None:
    a, b, both = zipped(20, 7)
    run = bench().run().reset(10, 2)
    # One input is two payloads ahead when the reset comes; they are gone with it.
    run.send("join_i_a", bench().payloads([1, 2], "join_i_a"))
    run.send("join_i_a", bench().payloads(a, "join_i_a"), not_before=15)
    run.send("join_i_b", bench().payloads(b, "join_i_b"), not_before=17)
    run.expect("join_o", bench().payloads(both, "join_o")).execute()


def test_inputs() -> None:
    with pytest.raises(ValueError, match=r"^shapes must name at least 2 inputs, got 1$"):
        Join({"a": 8})
