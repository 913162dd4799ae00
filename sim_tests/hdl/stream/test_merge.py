"""What holds for every multiplexer, whatever it chooses by."""

import numpy as np
import pytest

from tilewright.hdl.stream import PriorityMux, RoundRobinMux, SelectMux
from tilewright.hdl.stream.merge import Merge
from tilewright.sim_tests.drivers.side_by_side import integers
from tilewright.sim_tests.harness import Run
from tilewright.sim_tests.hdl.stream.bench import ELEMENT, LANES, PACES, WAYS, bench, numbers
from tilewright.sim_tests.hdl.stream.packets import Beat, packets

KINDS = {"round_robin": RoundRobinMux, "priority": PriorityMux, "select": SelectMux}


def tagged(way: int, count: int) -> list[int]:
    """Payloads that tell where they come from."""
    return [way << 18 | number for number in range(count)]


def send_all(label: str, sent: list[list[int]], idle: float = 0.0, seed: int = 1) -> Run:
    run = bench().run(seed)
    for way, values in enumerate(sent):
        run.send(f"{label}_i_{way}", bench().payloads(values, f"{label}_i_{way}"), stall=idle)
    return run


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("kind", KINDS)
def test_each_input_keeps_its_order(kind: str, pace: str) -> None:
    idle, stall = PACES[pace]
    sent = [tagged(way, 100 + 20 * way) for way in range(WAYS)]
    run = send_all(kind, sent, idle, seed=4)
    if kind == "select":
        order = np.random.default_rng(1).permutation(np.repeat(range(WAYS), [len(s) for s in sent])).tolist()
        run.send("select_select", bench().payloads(order, "select_select"), stall=0.2)
    got = integers(run.expect(f"{kind}_o", sum(map(len, sent)), stall=stall).execute()[f"{kind}_o"].beats)
    for way in range(WAYS):
        assert [value for value in got if value >> 18 == way] == sent[way]
    if kind == "select":
        assert [value >> 18 for value in got] == order


@pytest.mark.parametrize("way", range(WAYS))
@pytest.mark.parametrize("kind", KINDS)
def test_latency_and_throughput_are_those_of_the_datasheet(kind: str, way: int) -> None:
    payloads = bench().payloads(numbers(50, 1), f"{kind}_o")
    run = bench().run().send(f"{kind}_i_{way}", payloads).expect(f"{kind}_o", payloads)
    if kind == "select":
        run.send("select_select", bench().payloads([way] * 50, "select_select"))
    result = run.execute()
    taken, given = result[f"{kind}_i_{way}"].cycle, result[f"{kind}_o"].offer
    assert set(given - taken) == {Merge.latency}
    assert set(np.diff(given)) == {1 / Merge.throughput}


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("kind", KINDS)
def test_packets_stay_whole(kind: str, pace: str) -> None:
    idle, stall = PACES[pace]
    label = f"{kind}_packets"
    sent = [packets(20, LANES, ELEMENT, seed=way) for way in range(WAYS)]
    words = [[beat.packed(LANES, ELEMENT) for beat in beats] for beats in sent]
    run = send_all(label, words, idle, seed=6)
    if kind == "select":
        order = np.random.default_rng(2).permutation(np.repeat(range(WAYS), 20)).tolist()
        run.send(f"{label}_select", bench().payloads(order, f"{label}_select"), stall=0.2)
    result = run.expect(f"{label}_o", sum(map(len, words)), stall=stall).execute()
    left = [list(values) for values in words]
    owners: list[int] = []
    got = integers(result[f"{label}_o"].beats)
    while got:
        # The next packet must be the first one left of some input, from its first beat to its last.
        fits = [way for way, values in enumerate(left) if values and got[: length(values)] == values[: length(values)]]
        assert fits, f"no packet begins with {got[0]:#x}"
        if kind == "select":
            assert order[len(owners)] in fits
        owner = order[len(owners)] if kind == "select" else fits[0]
        size = length(left[owner])
        del got[:size], left[owner][:size]
        owners.append(owner)
    assert not any(left)
    assert len(set(owners[:10])) > 1 or kind == "priority"


def length(values: list[int]) -> int:
    """Beats of the first packet."""
    return next(index + 1 for index, value in enumerate(values) if value >> LANES * (ELEMENT + 1))


@pytest.mark.parametrize("reset", range(12, 20))
@pytest.mark.parametrize("kind", KINDS)
def test_a_reset_forgets_begun_packets_and_what_is_inside(kind: str, reset: int) -> None:
    label = f"{kind}_packets"
    before = [[Beat((way, 0), False).packed(LANES, ELEMENT)] * 30 for way in range(WAYS)]
    after = [[Beat((way, 9), last).packed(LANES, ELEMENT) for last in (False, True)] for way in range(WAYS)]
    run = bench().run(reset).reset(reset, 2)
    for way in range(WAYS):
        name = f"{label}_i_{way}"
        # An input that is not chosen waits for the reset in vain; so it has nothing left to send then.
        sent = before[way] if way == 0 else []
        run.send(name, bench().payloads(sent[: reset - 8], name)).send(
            name, bench().payloads(after[way], name), not_before=reset + 5
        )
    if kind == "select":
        name = f"{label}_select"
        run.send(name, bench().payloads([0], name))
        run.send(name, bench().payloads([2, 1, 0], name), not_before=reset + 5)
    result = run.expect(f"{label}_o", reset - 8 + 6).execute()
    got = integers(result[f"{label}_o"].beats)[reset - 8 :]
    order = [2, 1, 0] if kind == "select" else [0, 1, 2]
    assert got == [word for way in order for word in after[way]]


@pytest.mark.parametrize("kind", KINDS.values())
def test_ways(kind: type[RoundRobinMux | PriorityMux | SelectMux]) -> None:
    with pytest.raises(ValueError, match=r"^ways must be at least 2, got 1$"):
        kind(8, 1)
