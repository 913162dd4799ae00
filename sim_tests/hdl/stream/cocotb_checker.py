"""Stream rules broken on purpose, signal by signal, and what `Checker` says in which cycle; runs inside a simulator."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

RULES = ("payload_changed", "valid_withdrawn", "keep_gap", "keep_empty", "keep_early")
LANES, WIDTH = 4, 4


def payload(data: int = 0, keep: int = 0xF, last: int = 0) -> int:
    return data | keep << LANES * WIDTH | last << LANES * (WIDTH + 1)


async def start(dut: Any) -> None:
    Clock(dut.clk, 10, unit="ns").start()
    dut.checker_valid.value = dut.checker_ready.value = dut.checker_payload.value = 0
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def watch(dut: Any, cycles: list[tuple[int, int, int]]) -> list[set[str]]:
    """Drives valid, ready, payload cycle by cycle; the rules that are reported before each edge."""
    await start(dut)
    reported = []
    for valid, ready, word in cycles:
        dut.checker_valid.value, dut.checker_ready.value, dut.checker_payload.value = valid, ready, word
        await RisingEdge(dut.clk)
        broken = {rule for rule in RULES if getattr(dut, f"checker_{rule}").value}
        assert bool(dut.checker_error.value) == bool(broken)
        reported.append(broken)
        await FallingEdge(dut.clk)
    return reported


@cocotb.test()
async def right_streams_are_left_alone(dut: Any) -> None:
    noise = payload(0xABC, keep=0b1010)
    assert not any(
        await watch(
            dut,
            [
                (0, 1, noise),
                (1, 1, payload(1)),
                (1, 0, payload(2)),
                (1, 0, payload(2)),
                (1, 1, payload(2)),
                (1, 0, payload(3, keep=1, last=1)),
                (1, 1, payload(3, keep=1, last=1)),
                (0, 0, noise),
                (1, 1, payload(4, keep=0b0111, last=1)),
            ],
        )
    )


@cocotb.test()
async def payload_that_changes(dut: Any) -> None:
    found = await watch(dut, [(1, 0, payload(1)), (1, 1, payload(2)), (1, 1, payload(3)), (0, 1, 0)])
    assert found == [set(), *[{"payload_changed"}] * 3]


@cocotb.test()
async def every_bit_of_the_payload_counts(dut: Any) -> None:
    for bit in range(LANES * (WIDTH + 1) + 1):
        before, after = payload(0, 0xF), payload(0, 0xF) ^ 1 << bit
        assert "payload_changed" in (await watch(dut, [(1, 0, before), (1, 0, after)]))[1]


@cocotb.test()
async def valid_that_is_withdrawn(dut: Any) -> None:
    found = await watch(dut, [(1, 0, payload(1)), (0, 1, payload(1)), (1, 1, payload(1))])
    assert found == [set(), {"valid_withdrawn"}, {"valid_withdrawn"}]


@cocotb.test()
async def keep_of_every_pattern(dut: Any) -> None:
    for keep in range(1 << LANES):
        found = (await watch(dut, [(0, 0, payload(keep=keep)), (1, 1, payload(keep=keep, last=1)), (0, 0, 0)]))[1:]
        wanted: set[str] = set()
        if keep == 0:
            wanted = {"keep_empty"}
        elif keep not in (0b0001, 0b0011, 0b0111, 0b1111):
            wanted = {"keep_gap"}
        assert found == [wanted, wanted], f"keep {keep:04b}"


@cocotb.test()
async def a_partial_beat_before_the_last(dut: Any) -> None:
    found = await watch(dut, [(1, 1, payload(keep=0b0011)), (1, 1, payload(last=1))])
    assert found == [{"keep_early"}, {"keep_early"}]


@cocotb.test()
async def reset_forgets(dut: Any) -> None:
    assert (await watch(dut, [(1, 0, payload(1)), (0, 0, 0)]))[1] == {"valid_withdrawn"}
    assert not any(await watch(dut, [(1, 1, payload(1)), (0, 0, 0)]))
    # A beat that waits when reset comes may vanish.
    await watch(dut, [(1, 0, payload(1))])
    assert not any(await watch(dut, [(0, 0, 0)]))
