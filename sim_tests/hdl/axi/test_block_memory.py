"""Bursts of every length and the door, at any pace, against bytes in Python; what is beyond; a reset amid bursts."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from amaranth.hdl import ResetInserter, Signal
from amaranth.sim import Simulator

from tilewright.hdl.axi.block_memory import DECERR, BlockMemory
from tilewright.sim_tests.hdl.engine.streams import Process, send, simulate, take

SIZE, BEAT = 8192, 4
BEATS = SIZE // BEAT


def after(when: Callable[[], bool], process: Process) -> Process:
    """``process`` from the cycle on in which ``when`` holds."""

    async def waiting(ctx: Any) -> None:
        while not when():
            await ctx.tick()
        await process(ctx)

    return waiting


def lengths(rng: random.Random, pages: range) -> list[tuple[int, int]]:
    """(address, beats) of bursts within pages: of 1 beat, of 256, of what is left of a page."""
    found = []
    for page in pages:
        for beats in (1, 256, 1, 1, rng.randrange(2, 256)):
            found.append((4096 * page + BEAT * rng.choice((0, 1024 - beats, rng.randrange(1025 - beats))), beats))
    return found


@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.6, 0), (0, 0.6), (0.4, 0.4)])
def test_what_is_written_is_read(idle: float, stall: float) -> None:
    rng = random.Random(7)
    memory, words = BlockMemory(SIZE, 20, 8 * BEAT), [0] * BEATS
    writes, reads = lengths(rng, range(2)), lengths(rng, range(2))
    data = []
    for address, beats in writes:
        for beat in range(beats):
            word, strobes = rng.getrandbits(32), rng.choice((15, 15, rng.randrange(16)))
            data.append({"data": word, "strb": strobes, "last": beat == beats - 1})
            mask = sum(0xFF << 8 * byte for byte in range(4) if strobes >> byte & 1)
            place = address // BEAT + beat
            words[place] = words[place] & ~mask | word & mask
    answers: list[Any] = []
    found: list[Any] = []
    written = [*writes, (SIZE + 64, 2)]  # the last one is beyond
    data += [{"data": 1, "strb": 15, "last": last} for last in (0, 1)]

    def all_answered() -> bool:
        return len(answers) == len(written)

    asked = [{"addr": address + rng.randrange(BEAT), "len": beats - 1} for address, beats in written]
    bursts = [{"addr": address, "len": beats - 1} for address, beats in [*reads, (SIZE, 1), reads[0]]]
    bus = memory.bus
    count = sum(burst["len"] + 1 for burst in bursts)
    processes = [
        send(bus.aw, asked, idle=idle),
        send(bus.w, data, idle=idle, seed=1),
        take(bus.b, answers, stall=stall),
        after(all_answered, send(bus.ar, bursts, idle=idle, seed=2)),
        take(bus.r, found, stall=stall, seed=3),
    ]
    simulate(memory, processes, lambda: len(found) == count, limit=50_000)
    assert [answer.resp for _, answer in answers] == [0] * len(writes) + [DECERR]
    expected = [
        (words[(burst["addr"] // BEAT + beat) % BEATS], DECERR * (burst["addr"] >= SIZE), beat == burst["len"])
        for burst in bursts
        for beat in range(burst["len"] + 1)
    ]
    for beat, right in zip([beat for _, beat in found], expected, strict=True):
        assert (beat.resp, beat.last) == right[1:]
        assert beat.resp == DECERR or beat.data == right[0]


def test_a_burst_takes_a_cycle_more_than_its_beats() -> None:
    memory = BlockMemory(SIZE, 13, 8 * BEAT)
    found: list[Any] = []
    bursts = [{"addr": 0, "len": 255}, {"addr": 1024, "len": 0}, {"addr": 4096, "len": 15}]
    processes = [send(memory.bus.ar, bursts), take(memory.bus.r, found)]
    simulate(memory, processes, lambda: len(found) == 273, limit=400)
    cycles = [cycle for cycle, _ in found]
    assert cycles[0] == memory.latency
    assert [later - before for before, later in pairwise(cycles) if later - before > 1] == [2, 2]


@pytest.mark.parametrize("stall", [0, 0.5])
def test_the_door_beside_bursts(stall: float) -> None:
    """Beats that come through the door are those of the port, and neither loses any of the other's."""
    rng = random.Random(3)
    memory = BlockMemory(SIZE, 13, 8 * BEAT)
    mine = [rng.getrandbits(32) for _ in range(200)]  # through the door, to page 0
    theirs = [rng.getrandbits(32) for _ in range(1024)]  # over the port, to page 1
    told: list[int] = []
    answers: list[Any] = []
    found: list[Any] = []
    ended: list[Any] = []

    async def watch(ctx: Any) -> None:
        before = 0
        while True:
            access = memory.access
            sampled = access.valid & access.ready & ~access.payload.write
            *_, reads, data = await ctx.tick().sample(sampled, memory.found)
            if before:
                told.append(data)
            before = reads

    writes = [{"beat": beat, "data": word, "write": 1} for beat, word in enumerate(mine)]
    reads = [{"beat": beat} for beat in range(len(mine))]
    data = [{"data": word, "strb": 15, "last": beat % 256 == 255} for beat, word in enumerate(theirs)]
    bursts = [{"addr": 4096 + 1024 * number, "len": 255} for number in range(4)]
    crossing = [{"beat": 1024 + beat} for beat in range(0, 1024, 8)]

    def written() -> bool:
        return bool(ended) and len(answers) == 4

    def all_came() -> bool:
        return len(told) == len(mine) + len(crossing) and len(found) == len(theirs)

    processes = [
        send(memory.access, writes, idle=0.5, ended=ended),
        send(memory.bus.aw, bursts),
        send(memory.bus.w, data, idle=stall),
        take(memory.bus.b, answers, stall=stall),
        after(written, send(memory.access, [*reads, *crossing], idle=0.3, seed=4)),
        after(written, send(memory.bus.ar, bursts)),
        take(memory.bus.r, found, stall=stall, seed=5),
        watch,
    ]
    simulate(memory, processes, all_came, limit=20_000)
    assert told == mine + theirs[::8]
    assert [beat.data for _, beat in found] == theirs


def test_a_reset_amid_bursts_keeps_what_was_written() -> None:
    reset = Signal()
    memory = BlockMemory(4096, 12, 8 * BEAT)
    bus = memory.bus

    async def host(ctx: Any) -> None:
        for channel in (bus.aw, bus.ar):
            ctx.set(channel.payload, {"addr": 0, "len": 15})
            ctx.set(channel.valid, 1)
        await ctx.tick()
        ctx.set(bus.aw.valid, 0)
        ctx.set(bus.ar.valid, 0)
        ctx.set(bus.w.payload, {"data": 0x1234, "strb": 15, "last": 0})
        ctx.set(bus.w.valid, 1)
        await ctx.tick()
        ctx.set(bus.w.valid, 0)
        ctx.set(reset, 1)
        await ctx.tick()
        ctx.set(reset, 0)
        assert not ctx.get(bus.r.valid) and not ctx.get(bus.b.valid) and not ctx.get(bus.w.ready)
        assert ctx.get(bus.ar.ready) and ctx.get(bus.aw.ready)
        ctx.set(bus.ar.payload, {"addr": 0, "len": 0})
        ctx.set(bus.ar.valid, 1)
        await ctx.tick()
        ctx.set(bus.ar.valid, 0)
        await ctx.tick()
        assert ctx.get(bus.r.valid) and ctx.get(bus.r.payload.data) == 0x1234 and ctx.get(bus.r.payload.last)

    simulator = Simulator(ResetInserter(reset)(memory))
    simulator.add_clock(1e-6)
    simulator.add_testbench(host)
    simulator.run()


@pytest.mark.parametrize(
    ("size", "data_bits", "message"),
    [
        (4096, 48, "data_bits must be one of 32, 64, 128, 256, 512, got 48"),
        (2048, 32, "size must be a power of two, 4096..8192 bytes, got 2048"),
        (5000, 32, "size must be a power of two, 4096..8192 bytes, got 5000"),
        (16_384, 32, "size must be a power of two, 4096..8192 bytes, got 16384"),
    ],
)
def test_what_is_refused(size: int, data_bits: int, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        BlockMemory(size, 13, data_bits)
