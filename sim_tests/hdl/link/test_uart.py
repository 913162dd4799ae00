"""Bytes over wires: every value, clocks that differ, noise, breaks, pauses and none."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.sim import Simulator

from tilewright.hdl.link import UartReceive, UartSend
from tilewright.sim_tests.hdl.engine.streams import send, take
from tilewright.sim_tests.hdl.link.wire import drive, levels, watch

BYTES = [0, 0xFF, 0x55, 0xAA, 1, 0x80, *random.Random(1).choices(range(256), k=14)]


def received(divisor: int, bits: Sequence[int], period: float, stall: float = 0) -> tuple[list[int], int, int]:
    """(bytes that come out, how often ``broken``, how often ``lost``)."""
    block = UartReceive(divisor)
    found: list[Any] = []
    ended: list[Any] = []
    told = {"broken": 0, "lost": 0}

    async def count(ctx: Any) -> None:
        while True:
            _, _, broken, lost = await ctx.tick().sample(block.broken, block.lost)
            told["broken"] += broken
            told["lost"] += lost

    simulator = Simulator(block)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive(block.rx, bits, period, ended=ended))
    simulator.add_testbench(take(block.o, found, stall=stall), background=True)
    simulator.add_testbench(count, background=True)
    simulator.run()
    return [byte for _, byte in found], told["broken"], told["lost"]


@pytest.mark.parametrize("divisor", [8, 12, 27, 104])
def test_every_byte_is_received(divisor: int) -> None:
    payloads = list(range(256)) if divisor == 8 else BYTES
    assert received(divisor, levels(payloads), divisor) == (payloads, 0, 0)


@pytest.mark.parametrize("error", [-0.03, -0.02, -0.01, 0.01, 0.02, 0.03])
@pytest.mark.parametrize("divisor", [12, 25])
def test_clocks_may_differ(divisor: int, error: float) -> None:
    for gap in (0, 3):
        assert received(divisor, levels(BYTES, gap=gap), divisor * (1 + error)) == (BYTES, 0, 0)


def test_a_break_is_told_once_and_the_next_byte_comes() -> None:
    bits = [*levels([0x41]), *(0,) * 57, 1, *levels([0x42, 0x43])]
    assert received(12, bits, 12) == ([0x41, 0x42, 0x43], 1, 0)


def test_a_pulse_shorter_than_half_a_bit_is_no_start() -> None:
    block = [1] * 30 + [0] * 5 + [1] * 30
    bits = [*block, *(level for bit in levels([0x5A]) for level in (bit,) * 12)]
    assert received(12, bits, 1) == ([0x5A], 0, 0)


def test_a_byte_that_nobody_takes_stays_and_the_next_is_lost() -> None:
    block = UartReceive(8)
    found: list[int] = []

    async def late(ctx: Any) -> None:
        lost = 0
        for _ in range(4 * 80):
            _, _, one = await ctx.tick().sample(block.lost)
            lost += one
        assert lost == 2
        ctx.set(block.o.ready, 1)
        _, _, valid, payload = await ctx.tick().sample(block.o.valid, block.o.payload)
        assert valid
        found.append(payload)

    simulator = Simulator(block)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive(block.rx, levels([1, 2, 3]), 8))
    simulator.add_testbench(late)
    simulator.run()
    assert found == [1]


@pytest.mark.parametrize("idle", [0, 0.9])
@pytest.mark.parametrize("divisor", [8, 13])
def test_every_byte_is_sent(divisor: int, idle: float) -> None:
    block = UartSend(divisor)
    found: list[int] = []

    async def rest(ctx: Any) -> None:
        await ctx.tick().repeat((len(BYTES) + 2) * 10 * divisor + (len(BYTES) * 40 if idle else 0))

    simulator = Simulator(block)
    simulator.add_clock(1e-6)
    simulator.add_testbench(watch(block.tx, divisor, found), background=True)
    simulator.add_testbench(send(block.i, BYTES, idle=idle), background=True)
    simulator.add_testbench(rest)
    simulator.run()
    assert found == BYTES


def test_bytes_follow_each_other_without_a_pause() -> None:
    """`UartSend` to `UartReceive`: the datasheet's latencies."""
    sender, receiver = UartSend(10), UartReceive(10)
    starts: list[int] = []
    found: list[Any] = []

    async def joined(ctx: Any) -> None:
        before = 1
        for cycle in range(50 * 100 + 200):
            level = ctx.get(sender.tx)
            ctx.set(receiver.rx, level)
            if before and not level and (not starts or cycle - starts[-1] > 95):
                starts.append(cycle)
            before = level
            await ctx.tick()

    m = Module()
    m.submodules += [sender, receiver]
    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(joined)
    simulator.add_testbench(send(sender.i, [0x55] * 50), background=True)
    simulator.add_testbench(take(receiver.o, found), background=True)
    simulator.run()
    assert starts == list(range(starts[0], starts[0] + 5000, 100))
    assert {cycle - start for (cycle, _), start in zip(found, starts, strict=True)} == {receiver.latency}


@pytest.mark.parametrize("block", [UartReceive, UartSend])
def test_divisors_that_a_bit_cannot_have_are_refused(block: type) -> None:
    for divisor in (0, 7, (1 << 16) + 1):
        with pytest.raises(ValueError, match=rf"^divisor must be 8\.\.65536 cycles a bit, got {divisor}$"):
            block(divisor)
