"""Designs become the files that boards take, or are refused in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tilewright.fpga.boards.known import board
from tilewright.fpga.flow.board_build import build
from tilewright.fpga.flow.ecp5 import KINDS, Ecp5Flow
from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.flow.gowin import GowinFlow
from tilewright.fpga.flow.tool import Tool
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


@pytest.mark.parametrize(
    ("clock_mhz", "reached", "quick"),
    [(25, (20.0, 26.0), (True, False)), (25, (30.0,), (True,)), (100, (20.0,), (False,))],
)
def test_ecp5_is_placed_by_timing_where_the_quick_way_misses_the_clock(
    clock_mhz: int,
    reached: tuple[float, ...],
    quick: tuple[bool, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[Sequence[str]] = []

    def run(tool: Tool, words: Sequence[str], folder: Path) -> float:
        calls.append(words)
        path = [{"delay": 1, "type": "logic", "from": {"cell": "a"}, "to": {"cell": "b"}}]
        told = {
            "fmax": {"clk": {"constraint": float(clock_mhz), "achieved": reached[len(calls) - 1]}},
            "utilization": {kind: {"used": 1, "available": 2} for kind in KINDS},
            "critical_paths": [{"from": "posedge clk", "to": "posedge clk", "path": path}],
        }
        (folder / "top.report.json").write_text(json.dumps(told))
        return 7.0

    monkeypatch.setattr(Tool, "run", run)
    chosen = replace(board("ulx3s"), clock_hz=clock_mhz * 1_000_000)
    step = Ecp5Flow().steps(chosen, "top", 1)[1]
    assert step.name == "place and route" and step.do(tmp_path) == 7.0 * len(quick)
    assert tuple("--no-tmdriv" in words for words in calls) == quick


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
