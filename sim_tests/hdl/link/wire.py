"""The far end of a UART's wires, whose clock may differ from the block's; and when a test has seen enough."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sized
from typing import Any

Process = Callable[[Any], Awaitable[None]]


def levels(payloads: Iterable[int], *, gap: int = 0) -> list[int]:
    """Bits of 8N1 bytes in their order; ``gap``: bits of rest between them."""
    found: list[int] = []
    for payload in payloads:
        found += [0, *(payload >> bit & 1 for bit in range(8)), 1, *(1,) * gap]
    return found


def drive(wire: Any, bits: Iterable[int], period: float, *, ended: list[Any] | None = None) -> Process:
    """Puts ``bits`` on a wire, each for ``period`` cycles, which need not be whole; then 1 for two bytes."""

    async def process(ctx: Any) -> None:
        due = 0.0
        cycle = 0
        for bit in (*bits, *(1,) * 20):
            ctx.set(wire, bit)
            due += period
            while cycle < round(due):
                await ctx.tick()
                cycle += 1
        if ended is not None:
            ended.append(wire)

    return process


def watch(wire: Any, divisor: int, into: list[int]) -> Process:
    """Appends the bytes that a wire tells; a stop bit of 0 fails."""

    async def process(ctx: Any) -> None:
        while True:
            while (await ctx.tick().sample(wire))[2]:
                pass
            value = 0
            for _ in range(divisor // 2):
                await ctx.tick()
            for bit in range(9):
                for _ in range(divisor - 1):
                    await ctx.tick()
                level = (await ctx.tick().sample(wire))[2]
                assert bit < 8 or level, "the stop bit is 0"
                value |= level << bit
            into.append(value & 0xFF)

    return process


def enough(found: Sized, count: int) -> Process:
    """Ends when ``count`` payloads have been found, and a while after that: no more are to come."""

    async def process(ctx: Any) -> None:
        for _ in range(200_000):
            if len(found) >= count:
                break
            await ctx.tick()
        await ctx.tick().repeat(20)

    return process
