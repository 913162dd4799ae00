"""What is kept of a build, and of one that failed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tilewright.fpga.boards.board import Board
from tilewright.fpga.boards.known import board
from tilewright.fpga.flow.board_build import Build
from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.flow.report import Report, SlowestPath, Used
from tilewright.fpga.flow.step import Took
from tilewright.fpga.tops.board_design import BoardDesign
from tilewright.generators.config.presets import preset
from tilewright.sim_tests.benchmarks import board_figures
from tilewright.sim_tests.benchmarks.board_figures import BUILT, cpu_minutes, figures_of, fresh_build, remembered_build
from tilewright.sim_tests.fpga.flow.tiny import tiny

BOARD = board("ulx3s")
REPORT = Report({"flip-flops": Used(5, 9)}, 25.0, 30.5, SlowestPath("a", "b", 1.0, 2.0, 3))
MADE = Build(Path(), "top", Path("top.bit"), REPORT, (Took("synthesis", 90.0, 99.0), Took("pack", 1.5, 2.0)), False)


def test_seconds_resources_and_clocks() -> None:
    found = {(figure.of, figure.what, figure.unit): figure for figure in figures_of("ULX3S-85F", MADE)}
    assert found["ULX3S-85F", BUILT, ""].met and found["ULX3S-85F", "pack", "CPU s"].value == 1.5
    assert str(found["ULX3S-85F", "reached", "MHz"]) == "30.5 (≥ 25)"
    assert str(found["ULX3S-85F: flip-flops", "used", ""]) == "5 (≤ 9)"
    assert cpu_minutes([MADE, BuildFailed("it does not fit"), MADE]) == 3.05


def test_a_board_that_is_not_built_is_a_missed_goal() -> None:
    (figure,) = figures_of("ULX3S-85F", BuildFailed("it does not fit"))
    assert figure.what == BUILT and not figure.met


def test_a_design_that_is_not_built_is_a_missed_goal_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(board: Board, design: BoardDesign) -> Build:
        raise BuildFailed(f"{design.top} does not fit")

    monkeypatch.setattr(board_figures, "build", refuse)
    monkeypatch.setattr(board_figures, "board_design", lambda config, divisor: tiny())
    assert str(remembered_build(BOARD, preset("ws-4x4-int8").config)) == "tiny does not fit"


def test_a_build_that_fails_is_given_and_the_cache_is_the_user_s_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> Build:
        raise BuildFailed(os.environ["TILEWRIGHT_CACHE"])

    before = os.environ.get("TILEWRIGHT_CACHE")
    monkeypatch.setattr(board_figures, "build", refuse)
    monkeypatch.setattr(board_figures, "board_design", lambda config, divisor: tiny())
    failed = fresh_build(BOARD)
    assert isinstance(failed, BuildFailed) and str(failed) != before and not Path(str(failed)).exists()
    assert os.environ.get("TILEWRIGHT_CACHE") == before
