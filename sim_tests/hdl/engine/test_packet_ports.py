"""Where packets come in and go out: what is wanted, dropped, cut, forgotten."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tilewright.hdl.engine.packet_entry import PacketEntry
from tilewright.hdl.engine.packet_exit import PacketExit
from tilewright.sim_tests.hdl.engine.packets import packet, unpacked
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

BUS = 4
PACKETS = [bytes(range(at, at + size)) for at, size in ((0, 1), (10, 4), (20, 9), (40, 16), (60, 3))]
BEATS = [beat for data in PACKETS for beat in packet(data, BUS)]


def run_entry(drive: Any, *, stall: float = 0, cycles: int = 120) -> tuple[list[Any], list[int]]:
    """What came through, and in which cycles beats were taken, while ``drive`` sets the inputs of each cycle."""
    block = PacketEntry(BUS)
    found: list[Any] = []
    taken: list[int] = []
    passed: list[int] = []

    async def control(ctx: Any) -> None:
        for cycle in range(cycles):
            for name, value in {"want": 0, "drop": 0, "spill": 0, "forget": 0, **drive(cycle)}.items():
                ctx.set(getattr(block, name), value)
            _, _, valid, ready = await ctx.tick().sample(block.i.valid, block.i.ready)
            if valid and ready:
                taken.append(cycle)
            passed.append(cycle)

    processes = [send(block.i, BEATS), control, take(block.o, found, stall=stall)]
    simulate(block, processes, lambda: len(passed) == cycles, limit=cycles + 50)
    return [beat for _, beat in found], taken


@pytest.mark.parametrize("stall", [0, 0.5])
def test_only_what_is_wanted_comes_in(stall: float) -> None:
    for count in range(len(PACKETS) + 1):
        found, _ = run_entry(lambda cycle, count=count: {"want": cycle < count}, stall=stall)
        assert unpacked(found, BUS) == PACKETS[:count]


def test_nothing_is_taken_before_it_is_wanted() -> None:
    _, taken = run_entry(lambda cycle: {"want": cycle == 30})
    assert taken == [31]


def test_a_packet_that_has_begun_is_dropped_to_its_end_and_no_other() -> None:
    """The third packet has three beats, of which the first goes through."""
    for stop in (9, 10, 11, 12):
        drive = lambda cycle, stop=stop: {"want": cycle < 5, "drop": cycle >= stop}  # noqa: E731
        found, taken = run_entry(drive)
        through = sum(cycle < stop for cycle in taken)
        ends = [sum(-(-len(data) // BUS) for data in PACKETS[:count]) for count in range(len(PACKETS) + 1)]
        assert len(found) == through
        assert len(taken) == min(end for end in ends if end >= through), "to the end of a packet"


def test_all_packets_spill_and_what_is_wanted_before_is_not_wanted_any_more() -> None:
    found, taken = run_entry(lambda cycle: {"want": cycle < 3, "drop": cycle >= 1, "spill": cycle >= 20})
    assert found == []
    assert len(taken) == len(BEATS)
    assert max(taken) >= 20


@pytest.mark.parametrize("forget", [False, True])
def test_a_packet_that_is_forgotten_ends_at_once(forget: bool) -> None:
    """The third packet, of three beats; what is left of it begins the next one."""
    drive = lambda cycle: {  # noqa: E731
        "want": cycle < 3 or cycle == 40,
        "drop": 4 <= cycle < 10,
        "forget": forget and cycle == 4,
    }
    _, taken = run_entry(drive)
    assert taken[:4] == [1, 2, 3, 4]
    assert taken[4:] == ([41] if forget else [5, 41, 42, 43, 44])


@pytest.mark.parametrize("stall", [0, 0.6])
def test_packets_go_out_and_are_told(stall: float) -> None:
    block = PacketExit(BUS)
    found: list[Any] = []
    told: list[int] = []

    async def watch(ctx: Any) -> None:
        while True:
            _, _, gone = await ctx.tick().sample(block.gone)
            told.append(gone)

    processes = [send(block.i, BEATS, idle=0.3), take(block.o, found, stall=stall), watch]
    simulate(block, processes, lambda: len(found) == len(BEATS), limit=500)
    assert unpacked([beat for _, beat in found], BUS) == PACKETS
    assert sum(told) == len(PACKETS)


@pytest.mark.parametrize("stall", [0, 0.6])
@pytest.mark.parametrize("seed", range(12))
def test_a_packet_is_cut_with_a_last_beat(seed: int, stall: float) -> None:
    """Wherever it is cut; none that has not begun appears, none that has ended gets another beat."""
    rng = random.Random(seed)
    block = PacketExit(BUS)
    found: list[Any] = []
    at, open_at_end = rng.randrange(2, 30), []

    async def cut(ctx: Any) -> None:
        for cycle in range(120):
            ctx.set(block.cut, cycle >= at)
            _, _, now = await ctx.tick().sample(block.open)
            open_at_end.append(now)

    processes = [send(block.i, BEATS, idle=0.3, seed=seed), take(block.o, found, stall=stall, seed=seed), cut]
    simulate(block, processes, lambda: len(open_at_end) == 120, limit=300)
    got = unpacked([beat for _, beat in found], BUS)
    whole = got if got == PACKETS[: len(got)] else got[:-1]
    assert whole == PACKETS[: len(whole)]
    if len(whole) < len(got):
        original = PACKETS[len(whole)]
        assert got[-1][-1] == 0 and original.startswith(got[-1][:-1]) and len(got[-1]) <= len(original) + BUS
    assert not open_at_end[-1]
