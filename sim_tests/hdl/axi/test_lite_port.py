"""AXI4-Lite to register accesses: any order and distance of AW and W, answers held back, refusals."""

from __future__ import annotations

import random
from typing import Any

from amaranth.sim import Simulator

from tilewright.hdl.axi.lite_port import LitePort

WORDS = 8


def _serve(port: LitePort, words: list[int], accesses: list[tuple[str, int]]) -> Any:
    """Registers behind the port: word 6 refuses writes, word 7 does not exist."""

    async def process(ctx: Any) -> None:
        pending = None
        while True:
            ctx.set(port.read_data, words[pending] if pending is not None else 0xDEADBEEF)
            ctx.set(port.read_refused, pending == 7)
            ctx.set(port.write_refused, ctx.get(port.write_address) in (6, 7))
            _, _, write, address, data, strobes, read, read_address = await ctx.tick().sample(
                port.write, port.write_address, port.write_data, port.write_strobes, port.read, port.read_address
            )
            if write:
                accesses.append(("write", address))
                if address < 6:
                    for byte in range(4):
                        if strobes >> byte & 1:
                            mask = 0xFF << 8 * byte
                            words[address] = (words[address] & ~mask) | (data & mask)
            pending = read_address if read else None

    return process


async def _take(ctx: Any, channel: Any, *fields: str) -> list[int]:
    """Takes one payload; the values of its fields."""
    ctx.set(channel.ready, 1)
    while True:
        _, _, valid, *values = await ctx.tick().sample(channel.valid, *(channel.payload[name] for name in fields))
        if valid:
            ctx.set(channel.ready, 0)
            return [int(value) for value in values]


async def _offer(ctx: Any, channel: Any, fields: dict[str, int], wait: int) -> None:
    for _ in range(wait):
        await ctx.tick()
    for name, value in fields.items():
        ctx.set(channel.payload[name], value)
    ctx.set(channel.valid, 1)
    while not (await ctx.tick().sample(channel.ready))[2]:
        pass
    ctx.set(channel.valid, 0)


def test_accesses_in_any_order() -> None:
    rng = random.Random(3)
    port = LitePort(5)
    words, expected = [0] * WORDS, [0] * WORDS
    accesses: list[tuple[str, int]] = []
    writes = [(rng.randrange(WORDS), rng.getrandbits(32), rng.getrandbits(4)) for _ in range(150)]
    waits = [(rng.choice((0, 0, 1, 5)), rng.choice((0, 0, 1, 5))) for _ in writes]
    turn = {"address": 0, "data": 0, "answers": 0}

    async def addresses(ctx: Any) -> None:
        for (word, _, _), (wait, _) in zip(writes, waits, strict=True):
            await _offer(ctx, port.bus.aw, {"addr": 4 * word + rng.randrange(4)}, wait)
            turn["address"] += 1

    async def data(ctx: Any) -> None:
        for (_, value, strobes), (_, wait) in zip(writes, waits, strict=True):
            await _offer(ctx, port.bus.w, {"data": value, "strb": strobes}, wait)
            turn["data"] += 1

    async def answers(ctx: Any) -> None:
        for word, value, strobes in writes:
            for _ in range(rng.choice((0, 0, 2, 7))):
                await ctx.tick()
            (resp,) = await _take(ctx, port.bus.b, "resp")
            turn["answers"] += 1
            assert turn["answers"] <= min(turn["address"], turn["data"]), "answered before address and data"
            assert resp == (2 if word in (6, 7) else 0)
            if word < 6:
                for byte in range(4):
                    if strobes >> byte & 1:
                        mask = 0xFF << 8 * byte
                        expected[word] = (expected[word] & ~mask) | (value & mask)

    async def reads(ctx: Any) -> None:
        for _ in range(200):
            word = rng.randrange(WORDS)
            await _offer(ctx, port.bus.ar, {"addr": 4 * word}, rng.choice((0, 0, 3)))
            for _ in range(rng.choice((0, 0, 4))):
                await ctx.tick()
            before = list(words)
            value, resp = await _take(ctx, port.bus.r, "data", "resp")
            assert resp == (2 if word == 7 else 0)
            # A write may come between the access and the answer.
            assert word == 7 or value in (before[word], words[word]) or turn["answers"] < len(writes)
        for word in range(6):
            await _offer(ctx, port.bus.ar, {"addr": 4 * word}, 60)
            value, _ = await _take(ctx, port.bus.r, "data", "resp")
            assert value == expected[word] == words[word]

    simulator = Simulator(port)
    simulator.add_clock(1e-6)
    simulator.add_testbench(_serve(port, words, accesses), background=True)
    for process in (addresses, data, answers, reads):
        simulator.add_testbench(process)
    simulator.run()
    assert [word for kind, word in accesses if kind == "write"] == [word for word, _, _ in writes]
