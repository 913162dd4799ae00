"""What the builds of boards took, as figures."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tilewright.fpga.boards.baud import divisor_of
from tilewright.fpga.boards.board import Board
from tilewright.fpga.boards.preset import board_fields
from tilewright.fpga.flow.board_build import Build, build
from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.tops.board_design import board_design
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.report.figures import Figure

BUILT = "built (1: yes)"


def fresh_build(board: Board) -> Build | BuildFailed:
    """The board's own core, built with a cache that has nothing."""
    config = systolic_config(board_fields(board))
    design = board_design(config, divisor_of(board.clock_hz, board.baud))
    before = os.environ.get("TILEWRIGHT_CACHE")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TILEWRIGHT_CACHE"] = str(Path(cache))
        try:
            return build(board, design)
        except BuildFailed as failed:
            return failed
        finally:
            os.environ.pop("TILEWRIGHT_CACHE")
            if before is not None:
                os.environ["TILEWRIGHT_CACHE"] = before


def remembered_build(board: Board, config: SystolicConfig) -> Build | BuildFailed:
    """A core or engine, built now or found where it was built before; its steps took what they took then."""
    try:
        return build(board, board_design(config, divisor_of(board.clock_hz, board.baud)))
    except BuildFailed as failed:
        return failed


def figures_of(of: str, built: Build | BuildFailed) -> Iterator[Figure]:
    """Whether ``of`` was built; seconds a step; what it takes, as shares and as counts; clocks."""
    yield Figure(of, BUILT, int(isinstance(built, Build)), "", least=1)
    if isinstance(built, BuildFailed):
        return
    for step in built.steps:
        yield Figure(of, step.step, step.cpu_seconds, "CPU s")
        yield Figure(of, step.step, step.wall_seconds, "s")
    report = built.report
    yield Figure(of, "clock", report.clock_mhz, "MHz")
    yield Figure(of, "reached", report.reached_mhz, "MHz", least=report.clock_mhz)
    for kind, used in report.resources.items():
        yield Figure(f"{of}: {kind}", "used", used.used, "", most=used.available)


def cpu_minutes(builds: list[Build | BuildFailed]) -> float:
    """Of all steps of all that were built."""
    steps = [step for built in builds if isinstance(built, Build) for step in built.steps]
    return round(sum(step.cpu_seconds for step in steps) / 60, 2)
