"""A block that misbehaves on command inside `Watched`; runs inside a simulator."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tilewright.sim_tests.hdl.stream.faulty import Faulty

KEEP, LAST = 3 << 16, 1 << 18


async def start(dut: Any) -> None:
    Clock(dut.clk, 10, unit="ns").start()
    dut.faulty_i__valid.value = dut.faulty_o__ready.value = 0
    dut.buffer_i__valid.value = dut.buffer_o__ready.value = 0
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def send(dut: Any, words: list[int], ready: float, limit: int = 200) -> tuple[list[int], int | None]:
    """Sends ``words`` to a consumer that is ready with a probability; what arrived, first cycle of an error."""
    await start(dut)
    left, arrived, error = list(words), [], None
    for cycle in range(limit):
        dut.faulty_i__valid.value = bool(left)
        dut.faulty_i__payload.value = left[0] if left else 0
        dut.faulty_o__ready.value = random.random() < ready
        await RisingEdge(dut.clk)
        if dut.faulty_protocol_error.value and error is None:
            error = cycle
        if dut.faulty_o__valid.value and dut.faulty_o__ready.value:
            arrived.append(int(dut.faulty_o__payload.value))
        if dut.faulty_i__valid.value and dut.faulty_i__ready.value:
            left.pop(0)
        await FallingEdge(dut.clk)
    return arrived, error


@cocotb.test()
async def right_beats_pass(dut: Any) -> None:
    words = [number | KEEP | (LAST if number % 5 == 4 else 0) for number in range(50)]
    assert await send(dut, words, ready=0.5) == (words, None)


@cocotb.test()
async def each_fault_of_the_block_is_an_error(dut: Any) -> None:
    for code in (Faulty.CHANGES, Faulty.WITHDRAWS, Faulty.GAP, Faulty.EMPTY):
        _, error = await send(dut, [code | KEEP], ready=0.0, limit=8)
        assert error is not None, f"{code:#x}"
        assert error == 0 if code in (Faulty.GAP, Faulty.EMPTY) else error in (1, 2)


@cocotb.test()
async def a_fault_is_told_in_its_cycle(dut: Any) -> None:
    for code in (Faulty.GAP, Faulty.EMPTY):
        assert (await send(dut, [1 | KEEP, 2 | KEEP, code | KEEP, 3 | KEEP], ready=1.0, limit=8))[1] == 2


@cocotb.test()
async def a_fault_of_the_producer_is_an_error(dut: Any) -> None:
    await start(dut)
    dut.buffer_o__ready.value = 0
    dut.buffer_i__valid.value, dut.buffer_i__payload.value = 1, 5
    # Two payloads fill the buffer; the third must wait as it is.
    for _ in range(4):
        await RisingEdge(dut.clk)
        assert not dut.buffer_protocol_error.value
        await FallingEdge(dut.clk)
    assert not dut.buffer_i__ready.value
    dut.buffer_i__payload.value = 6
    await RisingEdge(dut.clk)
    assert dut.buffer_protocol_error.value
    assert dut.buffer_o__payload.value == 5
