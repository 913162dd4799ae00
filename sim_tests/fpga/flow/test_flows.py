"""Designs become the files that boards take, or are refused in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tilewright.fpga.boards.known import board
from tilewright.fpga.flow.board_build import build
from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.flow.gowin import GowinFlow
from tilewright.sim_tests.fpga.flow.tiny import ICE40, TEXT, TOP, tiny

SMALL_BOARDS = {"icebreaker": "multipliers SB_MAC16", "colorlight-i5": "multipliers of 18 x 18 bits"}
SMALL_BOARDS |= {"tang-nano-9k": "multipliers of 9 x 9 bits"}


@pytest.mark.parametrize("name", SMALL_BOARDS)
def test_a_design_becomes_the_file_that_a_board_takes(name: str) -> None:
    chosen, steps = board(name), list[str]()
    built = build(chosen, tiny(ICE40 if chosen.part.family == "ice40" else TEXT), tell=steps.append)
    assert built.remembered or steps == ["synthesis", "place and route", "pack"]
    assert [step.step for step in built.steps] == ["synthesis", "place and route", "pack"]
    assert all(step.cpu_seconds > 0 for step in built.steps)
    assert built.final.read_bytes() and built.final.stem == TOP
    assert built.report.resources[SMALL_BOARDS[name]].used == 1
    assert built.report.reached_mhz > built.report.clock_mhz == pytest.approx(chosen.clock_hz / 1e6, abs=0.01)
    assert "ns in cells" in str(built.report.slowest)


def test_what_has_been_built_is_remembered_until_anything_changes() -> None:
    steps: list[str] = []
    first = build(board("icebreaker"), tiny())
    again = build(board("icebreaker"), tiny(), tell=steps.append)
    assert again.remembered and not steps and again.final == first.final
    assert build(board("icebreaker"), tiny(), seed=2).folder != first.folder


def test_a_clock_that_is_too_fast() -> None:
    fast = replace(board("icebreaker"), clock_hz=400_000_000)
    with pytest.raises(BuildFailed, match=r"^the clock is missed: 400 MHz were asked for, [\d.]+ MHz are reached; the"):
        build(fast, tiny())


def test_a_design_that_does_not_fit() -> None:
    products = "".join(
        f"wire [15:0] p{n}; times t{n} (.clk(clk), .a(shift[7:0]), .b(read[{n + 7}:{n}]), .product(p{n}));"
        for n in range(9)
    )
    taken = " ^ ".join(f"^p{n}" for n in range(9))
    large = ICE40.replace("assign tx = ^", f"{products} assign tx = {taken} ^ ^")
    with pytest.raises(BuildFailed, match=r"^the design does not fit: it takes 10 SB_MAC16, 2 more than the 8 that"):
        build(board("icebreaker"), tiny(large))


def test_a_clock_without_a_constraint(monkeypatch: pytest.MonkeyPatch) -> None:
    files = GowinFlow.files
    monkeypatch.setattr(
        GowinFlow,
        "files",
        lambda *to: {name: text.replace("tilewright_clock", "clk") for name, text in files(*to).items()},
    )
    with pytest.raises(BuildFailed, match=r"^the clock tilewright_clock has no constraint, so nothing says how fast"):
        build(board("tang-nano-9k"), tiny())


def test_verilog_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match=r"^Yosys failed: .*ERROR: "):
        build(board("icebreaker"), tiny("module tiny (;"))
