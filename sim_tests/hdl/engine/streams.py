"""Streams in Amaranth's own simulator: who gives and who takes, at random paces."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import numpy as np
from amaranth.hdl import Value
from amaranth.sim import Simulator

Process = Callable[[Any], Awaitable[None]]


def send(
    stream: Any, payloads: Iterable[Any], *, idle: float = 0, seed: int = 0, ended: list[Any] | None = None
) -> Process:
    """Gives ``payloads`` (what ``payload.shape().const`` takes, or integers), with pauses of probability ``idle``.

    The stream is appended to ``ended`` when all have been taken.
    """
    rng = np.random.default_rng(seed)

    async def process(ctx: Any) -> None:
        for payload in payloads:
            while rng.random() < idle:
                await ctx.tick()
            if isinstance(payload, int):
                ctx.set(Value.cast(stream.payload), payload)
            else:
                ctx.set(stream.payload, payload)
            ctx.set(stream.valid, 1)
            ready = False
            while not ready:
                _, _, ready = await ctx.tick().sample(stream.ready)
            ctx.set(stream.valid, 0)
        if ended is not None:
            ended.append(stream)

    return process


def take(stream: Any, into: list[Any], *, stall: float = 0, seed: int = 0) -> Process:
    """Appends each payload to ``into``, with the cycle in which it came; not ready with probability ``stall``.

    A payload that changes or goes away before it was taken fails.
    """
    rng = np.random.default_rng(seed)

    async def process(ctx: Any) -> None:
        cycle, waiting = 0, None
        while True:
            ready = rng.random() >= stall
            ctx.set(stream.ready, ready)
            _, _, valid, payload = await ctx.tick().sample(stream.valid, Value.cast(stream.payload))
            assert waiting is None or (valid and payload == waiting), "a payload was withdrawn or changed"
            waiting = payload if valid and not ready else None
            if valid and ready:
                shape = stream.payload.shape()
                into.append((cycle, shape.from_bits(payload) if hasattr(shape, "from_bits") else payload))
            cycle += 1

    return process


def simulate(block: Any, processes: Iterable[Process], done: Callable[[], bool], *, limit: int, after: int = 20) -> int:
    """Runs ``block`` until ``done``, and ``after`` cycles more; fails after ``limit`` cycles. Gives the cycles."""
    simulator = Simulator(block)
    simulator.add_clock(1e-6)
    cycles = 0

    async def watch(ctx: Any) -> None:
        nonlocal cycles
        while not done():
            await ctx.tick()
            cycles += 1
            assert cycles < limit, f"not done after {limit} cycles"
        for _ in range(after):
            await ctx.tick()

    simulator.add_testbench(watch)
    for process in processes:
        simulator.add_testbench(process, background=True)
    simulator.run()
    return cycles
