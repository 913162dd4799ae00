"""Registers over AXI4-Lite, at any pace of each channel; refusals by name, after which all goes on."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.hdl import ResetInserter, Signal
from amaranth.sim import Simulator

from tilewright.hdl.link.access import Access
from tilewright.hdl.link.register_access import RegisterAccess
from tilewright.sim_tests.hdl.engine.streams import Process, send, simulate, take

SLVERR = 0b10
MISSING = 0x10
"""The address of a register that refuses everything."""


def subordinate(bus: Any, words: dict[int, int], rng: random.Random, stall: float) -> Process:
    """Registers on a bus whose channels each wait as they like; AW and W may be taken in any order."""

    async def process(ctx: Any) -> None:
        address: int | None = None
        data: int | None = None
        answers: list[int] = []
        reads: list[int] = []
        while True:
            ready = {name: rng.random() >= stall for name in ("aw", "w", "ar")}
            ready = {"aw": ready["aw"] and address is None, "w": ready["w"] and data is None, "ar": ready["ar"]}
            for name, value in ready.items():
                ctx.set(getattr(bus, name).ready, value)
            ctx.set(bus.b.valid, bool(answers))
            ctx.set(bus.b.payload.resp, answers[0] if answers else 0)
            ctx.set(bus.r.valid, bool(reads))
            if reads:
                ctx.set(bus.r.payload, {"data": words.get(reads[0], 0), "resp": SLVERR * (reads[0] == MISSING)})
            _, _, aw, to, w, beat, b, ar, origin, r = await ctx.tick().sample(
                bus.aw.valid, bus.aw.payload.addr, bus.w.valid, bus.w.payload, bus.b.ready,
                bus.ar.valid, bus.ar.payload.addr, bus.r.ready,
            )  # fmt: skip
            if answers and b:
                answers.pop(0)
            if reads and r:
                reads.pop(0)
            if aw and ready["aw"]:
                address = to
            if w and ready["w"]:
                assert beat.strb == 0b1111
                data = beat.data
            if ar and ready["ar"]:
                reads.append(origin)
            if address is not None and data is not None:
                if address != MISSING:
                    words[address] = data
                answers.append(SLVERR * (address == MISSING))
                address = data = None

    return process


@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.5, 0), (0, 0.7), (0.5, 0.5)])
def test_everything_is_answered_in_order(idle: float, stall: float) -> None:
    rng = random.Random(2)
    access = RegisterAccess(5)
    words: dict[int, int] = {}
    kept: dict[int, int] = {}
    asked, right = [], []
    for number in range(120):
        address = rng.choice((0, 4, 8, 28, MISSING, 2, 29, 32, 0xFFFC))
        write, value = number % 2, rng.getrandbits(32)
        asked.append({"address": address, "data": value, "write": write})
        status = Access.UNALIGNED if address % 4 else Access.BEYOND if address >= 32 else Access.DONE
        status = Access.REFUSED if address == MISSING else status
        if write and status == Access.DONE:
            kept[address] = value
        right.append((status, kept.get(address, 0) if status == Access.DONE and not write else None))
    answers: list[Any] = []
    processes = [
        send(access.request, asked, idle=idle),
        take(access.answer, answers, stall=stall),
        subordinate(access.bus, words, random.Random(9), stall),
    ]
    simulate(access, processes, lambda: len(answers) == len(asked), limit=20_000)
    assert words == kept
    for (_, answer), (status, data) in zip(answers, right, strict=True):
        assert Access(answer.status) == status
        assert data is None or answer.data == data


def test_a_reset_ends_an_access() -> None:
    """The bus takes nothing; after the reset another request is taken, and refused at once."""
    reset = Signal()
    access = RegisterAccess(5)

    async def host(ctx: Any) -> None:
        ctx.set(access.request.payload, {"address": 4, "write": 1})
        ctx.set(access.request.valid, 1)
        await ctx.tick().repeat(5)
        assert ctx.get(access.bus.aw.valid) and not ctx.get(access.request.ready)
        ctx.set(reset, 1)
        ctx.set(access.request.payload, {"address": 3})
        await ctx.tick()
        ctx.set(reset, 0)
        assert not ctx.get(access.bus.aw.valid) and ctx.get(access.request.ready)
        await ctx.tick()
        assert ctx.get(access.answer.valid) and ctx.get(access.answer.payload.status) == Access.UNALIGNED

    simulator = Simulator(ResetInserter(reset)(access))
    simulator.add_clock(1e-6)
    simulator.add_testbench(host)
    simulator.run()


@pytest.mark.parametrize("bits", [2, 17])
def test_what_is_refused(bits: int) -> None:
    with pytest.raises(ValueError, match=rf"^address_bits must be 3..16, got {bits}$"):
        RegisterAccess(bits)
