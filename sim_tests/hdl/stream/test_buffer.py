import numpy as np
import pytest

from tilewright.hdl.stream import Buffer
from tilewright.sim_tests.drivers.side_by_side import integers
from tilewright.sim_tests.harness import Stall
from tilewright.sim_tests.hdl.stream.bench import PACES, bench, numbers, taken_while_blocked

ONE_TO_ONE = {"buffer": 2, "queue": 4}


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", ONE_TO_ONE)
def test_every_payload_once_and_in_order(label: str, pace: str) -> None:
    idle, stall = PACES[pace]
    payloads = bench().payloads(numbers(400, 1), f"{label}_i")
    run = bench().run(3).send(f"{label}_i", payloads, stall=idle)
    run.expect(f"{label}_o", payloads, stall=stall).execute()


@pytest.mark.parametrize("label", ONE_TO_ONE)
def test_latency_and_throughput_are_those_of_the_datasheet(label: str) -> None:
    payloads = bench().payloads(numbers(100, 2), f"{label}_i")
    result = bench().run().send(f"{label}_i", payloads).expect(f"{label}_o", payloads).execute()
    block = bench().blocks[label].inner
    taken, given = result[f"{label}_i"].cycle, result[f"{label}_o"].offer
    assert set(given - taken) == {block.latency}
    assert set(np.diff(taken)) == set(np.diff(given)) == {1 / block.throughput}


@pytest.mark.parametrize(("label", "room"), ONE_TO_ONE.items())
def test_room_while_the_consumer_stops(label: str, room: int) -> None:
    assert taken_while_blocked(f"{label}_i", range(room + 3), f"{label}_o") == room


@pytest.mark.parametrize("reset", range(30, 40))
@pytest.mark.parametrize("label", ONE_TO_ONE)
def test_reset_drops_what_is_inside_and_nothing_else(label: str, reset: int) -> None:
    values = numbers(60, 3)
    run = bench().run(reset).send(f"{label}_i", bench().payloads(values, f"{label}_i"), stall=0.2)
    result = run.expect(f"{label}_o", None, stall=Stall(0.5)).reset(reset, 2).execute()
    # A run that waits for no output ends sixteen cycles after the last input: enough for some, not all.
    given, taken = integers(result[f"{label}_o"].beats), result[f"{label}_i"].cycle
    before_in = int(np.sum(taken < reset))
    before_out = int(np.sum(result[f"{label}_o"].cycle < reset))
    assert 0 <= before_in - before_out <= ONE_TO_ONE[label]
    wanted = values[:before_out] + values[before_in:]
    assert len(given) > before_out
    assert given == wanted[: len(given)]


def test_payload_without_bits() -> None:
    with pytest.raises(ValueError, match=r"^payload must be at least 1 bit wide, got 0$"):
        Buffer(0)
