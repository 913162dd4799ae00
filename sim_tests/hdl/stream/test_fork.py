import numpy as np
import pytest

from tilewright.hdl.stream import Fork
from tilewright.sim_tests.drivers.side_by_side import integers
from tilewright.sim_tests.harness import Limits, Stall
from tilewright.sim_tests.harness.run import execute
from tilewright.sim_tests.hdl.stream.bench import NEVER, PACES, WAYS, bench, numbers

OUTPUTS = [f"fork_o_{way}" for way in range(WAYS)]


@pytest.mark.parametrize("pace", PACES)
def test_every_output_gets_every_payload_once(pace: str) -> None:
    idle, stall = PACES[pace]
    payloads = bench().payloads(numbers(300, 1), "fork_i")
    run = bench().run(2).send("fork_i", payloads, stall=idle)
    for way, name in enumerate(OUTPUTS):
        run.expect(name, payloads, stall=stall if way != 1 else Stall(0.3))
    run.execute()


def test_latency_and_throughput_are_those_of_the_datasheet() -> None:
    payloads = bench().payloads(numbers(50, 2), "fork_i")
    run = bench().run().send("fork_i", payloads)
    for name in OUTPUTS:
        run.expect(name, payloads)
    result = run.execute()
    taken = result["fork_i"].cycle
    assert set(np.diff(taken)) == {1 / Fork.throughput}
    for name in OUTPUTS:
        assert set(result[name].offer - taken) == {Fork.latency}


@pytest.mark.parametrize("blocked", range(WAYS))
def test_others_get_the_payload_that_one_does_not_take(blocked: int) -> None:
    run = bench().run().send("fork_i", bench().payloads(range(10), "fork_i")).limits(Limits(quiet=40))
    for way, name in enumerate(OUTPUTS):
        run.expect(name, None, stall=NEVER if way == blocked else None)
    result = execute(run.build, run.plan)
    assert [len(result[name]) for name in OUTPUTS] == [int(way != blocked) for way in range(WAYS)]
    assert len(result["fork_i"]) == 2


@pytest.mark.parametrize("reset", range(20, 30))
def test_after_a_reset_all_outputs_agree_again(reset: int) -> None:
    values = numbers(60, 3)
    run = bench().run(reset).send("fork_i", bench().payloads(values, "fork_i"), stall=0.2).reset(reset)
    for name in OUTPUTS:
        run.expect(name, None, stall=0.4)
    result = run.execute()
    before = int(np.sum(result["fork_i"].cycle < reset))
    for name in OUTPUTS:
        own = int(np.sum(result[name].cycle < reset))
        given = integers(result[name].beats)
        assert len(given) > own
        assert given == (values[:own] + values[before:])[: len(given)]


@pytest.mark.parametrize("ways", [-1, 0, 1])
def test_ways(ways: int) -> None:
    with pytest.raises(ValueError, match=rf"^ways must be at least 2, got {ways}$"):
        Fork(8, ways)
