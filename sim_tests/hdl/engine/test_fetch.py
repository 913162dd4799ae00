"""Programs come out of memory whole, in order, and as far as they were asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.hdl.engine.fetch import Fetch
from tilewright.sim_tests.hdl.axi.memory import Memory, Pace
from tilewright.sim_tests.hdl.engine.streams import simulate, take

BYTES = 64


def _memory(fetch: Fetch, pace: Pace) -> Memory:
    return Memory(1 << 14, fetch.data_bits // 8, fetch.burst, fetch.depth * fetch.beats, pace)


def _words(memory: Memory, address: int, count: int) -> list[int]:
    """The instructions that lie in ``memory``."""
    starts = range(address, address + count * BYTES, BYTES)
    return [int.from_bytes(memory.bytes[at : at + BYTES].tobytes(), "little") for at in starts]


def _start(fetch: Fetch, address: int, count: int) -> Any:
    async def process(ctx: Any) -> None:
        ctx.set(fetch.address, address)
        ctx.set(fetch.count, count)
        ctx.set(fetch.start, 1)
        await ctx.tick()
        ctx.set(fetch.start, 0)

    return process


@pytest.mark.parametrize("bits", [32, 64, 128, 256, 512])
@pytest.mark.parametrize(("max_burst", "stall"), [(1, 0.3), (6, 0.0), (256, 0.3)])
def test_every_instruction_in_order(bits: int, max_burst: int, stall: float) -> None:
    count, base = 21, 4096 - 3 * BYTES  # across a page
    fetch = Fetch(16, bits, max_burst, 4)
    memory = _memory(fetch, Pace(address_stall=stall, data_stall=stall))
    found: list[Any] = []
    processes = [_start(fetch, base, count), take(fetch.o, found, stall=stall, seed=1)]
    processes.append(memory.read(fetch.memory.ar, fetch.memory.r))
    simulate(fetch, processes, lambda: len(found) >= count, limit=20_000)
    assert [payload for _, payload in found] == _words(memory, base, count)


def test_it_keeps_up_with_the_bus() -> None:
    fetch = Fetch(16, 128, 256, 16)
    found: list[Any] = []
    memory = _memory(fetch, Pace(latency=40)).read(fetch.memory.ar, fetch.memory.r)
    simulate(fetch, [_start(fetch, 0, 60), take(fetch.o, found), memory], lambda: len(found) >= 60, limit=2000)
    cycles = [cycle for cycle, _ in found]
    assert cycles[-1] - cycles[0] == 4 * 59


def test_an_error_is_told_and_its_instruction_is_not_given() -> None:
    fetch = Fetch(16, 64, 256, 4)
    found: list[Any] = []
    told: list[tuple[int, int]] = []

    async def watch(ctx: Any) -> None:
        while True:
            _, _, error, response = await ctx.tick().sample(fetch.error, fetch.response)
            if error:
                told.append((error, response))

    memory = _memory(fetch, Pace())
    memory.errors[(3 * BYTES + 16) // 8] = 3
    processes = [_start(fetch, 0, 8), take(fetch.o, found), memory.read(fetch.memory.ar, fetch.memory.r), watch]
    simulate(fetch, processes, lambda: len(found) >= 7, limit=2000)
    assert told == [(1, 3)]
    wanted = _words(memory, 0, 8)
    assert [payload for _, payload in found] == wanted[:3] + wanted[4:]


def test_stop_ends_with_what_was_asked_for() -> None:
    fetch = Fetch(16, 64, 256, 4)
    asked: list[int] = []
    idle: list[int] = []

    async def stop(ctx: Any) -> None:
        for cycle in range(200):
            _, _, valid, ready, rest, done = await ctx.tick().sample(
                fetch.memory.ar.valid, fetch.memory.ar.ready, fetch.idle, fetch.done
            )
            if valid and ready:
                asked.append(cycle)
            if cycle == 20:
                ctx.set(fetch.stop, 1)
            idle.append(rest)
        assert done

    memory = _memory(fetch, Pace(latency=30)).read(fetch.memory.ar, fetch.memory.r)
    found: list[Any] = []
    simulate(fetch, [_start(fetch, 0, 100), take(fetch.o, found), memory, stop], lambda: len(idle) >= 200, limit=300)
    assert asked and max(asked) <= 23 and idle[-1] and not all(idle)
