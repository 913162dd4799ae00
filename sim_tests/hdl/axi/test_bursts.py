"""Bursts against spans cut by hand, beat by beat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.hdl.axi.bursts import Bursts
from tilewright.hdl.axi.parameters import BUS_BITS
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

Span = tuple[int, int, int]  # address, bytes, none


def cut(spans: list[Span], bus: int, max_burst: int) -> list[dict[str, int]]:
    """The fewest bursts, each as long as it may be."""
    bursts = []
    for side, (address, size, none) in enumerate(spans):
        if none:
            bursts.append({"none": 1, "final": 1, "side": side % 32})
            continue
        at, end = address // bus * bus, address + size
        while at < end:
            beats = min(-(-(end - at) // bus), max_burst, (4096 - at % 4096) // bus)
            fields = {"addr": at % (1 << 40), "len": beats - 1, "none": 0}
            at += beats * bus
            bursts.append(fields | {"final": int(at >= end), "side": side % 32})
    return bursts


def run(
    spans: list[Span], bus: int, max_burst: int, outstanding: int, *, idle: float = 0, stall: float = 0, slow: int = 0
) -> list[tuple[int, Any]]:
    """Gives ``spans``; each burst is done ``slow`` cycles after it was given."""
    block = Bursts(40, 8 * bus, max_burst, outstanding, bytes_bits=20, side=5)
    expected = cut(spans, bus, max_burst)
    payloads = [
        {"address": address, "bytes": size, "none": none, "side": side % 32}
        for side, (address, size, none) in enumerate(spans)
    ]
    found: list[tuple[int, Any]] = []

    async def answer(ctx: Any) -> None:
        due: list[int] = []
        cycle, under_way = 0, 0
        while True:
            done = bool(due and due[0] <= cycle)
            ctx.set(block.done, done)
            _, _, given, none = await ctx.tick().sample(block.o.valid & block.o.ready, block.o.payload.none)
            if done:
                due.pop(0)
                under_way -= 1
            if given and not none:
                due.append(cycle + slow)
                under_way += 1
                assert under_way <= outstanding
            cycle += 1

    processes = [send(block.i, payloads, idle=idle), take(block.o, found, stall=stall, seed=1), answer]
    limit = (20 + slow) * (len(expected) + 10)
    simulate(block, processes, lambda: len(found) >= len(expected), limit=limit)
    assert len(found) == len(expected)
    for (_, burst), fields in zip(found, expected, strict=True):
        assert {name: burst[name] for name in fields} == fields
    return found


def edges(bus: int, rng: np.random.Generator) -> list[Span]:
    """Spans around boundaries of beats and of 4096 bytes, some long, some none."""
    spans = []
    for _ in range(60):
        address = int(rng.integers(0, 1 << 28)) * 4096 + int(rng.choice([0, 1, bus - 1, bus, 4095, 4096 - bus]))
        size = int(rng.choice([1, 2, bus - 1, bus, bus + 1, 4095, 4096, 4097, int(rng.integers(1, 20000))]))
        spans.append((address, size, int(rng.integers(0, 8) == 0)))
    return spans


@pytest.mark.parametrize("bus_bits", BUS_BITS)
@pytest.mark.parametrize(("max_burst", "outstanding"), [(1, 1), (16, 3), (100, 32), (256, 64)])
def test_edges(bus_bits: int, max_burst: int, outstanding: int) -> None:
    rng = np.random.default_rng(bus_bits + max_burst)
    size = 15 if max_burst == 1 else 60
    run(edges(bus_bits // 8, rng)[:size], bus_bits // 8, max_burst, outstanding, idle=0.1, stall=0.2, slow=2)


def test_longest_span_that_wraps_around() -> None:
    run([((1 << 40) - 3, (1 << 20) - 1, 0), (5, 1, 0)], 64, 256, 64)


def test_a_burst_a_cycle() -> None:
    spans = [(4096 * n + 8, 16 * 16 * (1 + n % 3), 0) for n in range(30)] + [(64 * n, 64, 0) for n in range(30)]
    found = run(spans, 16, 16, 64)
    cycles = [cycle for cycle, _ in found]
    assert cycles == list(range(Bursts.latency, Bursts.latency + len(found)))


def test_outstanding_is_used_up_and_given_back() -> None:
    found = run([(64 * n, 64, 0) for n in range(40)], 16, 16, 4, slow=50)
    cycles = [cycle for cycle, _ in found]
    assert cycles[3] - cycles[0] == 3
    assert cycles[4] - cycles[0] > 50


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((40, 48, 16, 4), "bus_bits must be one of 32, 64, 128, 256, 512, got 48"),
        ((11, 64, 16, 4), "address_bits must be 12..64, got 11"),
        ((40, 64, 0, 4), "max_burst must be 1..256, got 0"),
        ((40, 64, 257, 4), "max_burst must be 1..256, got 257"),
        ((40, 64, 16, 65), "outstanding must be 1..64, got 65"),
    ],
)
def test_parameters(parameters: tuple[int, int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bursts(*parameters, bytes_bits=20, side=1)
