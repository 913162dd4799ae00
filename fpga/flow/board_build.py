"""Builds a design for a board, or finds it where it has been built before."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from tilewright.fpga.boards.board import Board
from tilewright.fpga.flow.failed import BuildFailed
from tilewright.fpga.flow.flow import Flow
from tilewright.fpga.flow.flows import flow_of
from tilewright.fpga.flow.report import Report
from tilewright.fpga.flow.step import Step, Took
from tilewright.fpga.tops.board_design import BoardDesign
from tilewright.generators.cache_folder import cache_folder
from tilewright.generators.scratch import scratch_folder
from tilewright.generators.whole_file import write_whole

CACHE = "boards"
"""Folder in the cache where builds are remembered."""
_TIMES = "steps.json"
_STEPS = 2  # another number wherever steps do other things with the same words


@dataclass(frozen=True)
class Build:
    """A design that was built.

    Attributes:
        folder: with all files; it stays as it is.
        top: the name of the top module, with which the names of most files begin.
        final: the file that the board takes.
        report: what the design takes of the part, and how fast it is.
        steps: what each step took when it was built.
        remembered: whether it had been built before.
    """

    folder: Path
    top: str
    final: Path
    report: Report
    steps: tuple[Took, ...]
    remembered: bool


def build(
    board: Board, design: BoardDesign, *, seed: int = 1, tell: Callable[[str], None] = lambda step: None
) -> Build:
    """Builds ``design`` for ``board``; ``tell`` hears which step begins.

    Raises:
        BuildFailed: a tool refuses the design, it does not fit, its clock is too slow, or a clock has no constraint.
        ConfigError: a tool is not installed.
    """
    built = placed(board, design, seed=seed, tell=tell)
    _check_timing(built.report)
    return built


def placed(
    board: Board, design: BoardDesign, *, seed: int = 1, tell: Callable[[str], None] = lambda step: None
) -> Build:
    """The same, however slow the clock is."""
    flow = flow_of(board.part.family)
    files = design.files | flow.files(board, design.top)
    steps = flow.steps(board, design.top, seed)
    kept = cache_folder() / CACHE / _key(flow, steps, files)
    remembered = (kept / _TIMES).exists()
    if not remembered:
        _make(flow, steps, files, kept, tell)
    took = tuple(Took(**each) for each in json.loads((kept / _TIMES).read_text(encoding="utf-8")))
    report = flow.report(board, design.top, kept)
    return Build(kept, design.top, kept / f"{design.top}{flow.final}", report, took, remembered)


def _make(flow: Flow, steps: list[Step], files: Mapping[str, str], kept: Path, tell: Callable[[str], None]) -> None:
    """Takes all steps aside, and puts the folder in place when they are done."""
    with scratch_folder("board") as folder:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        took = []
        for step in steps:
            tell(step.name)
            start = time.monotonic()
            cpu = step.do(folder)
            took.append(asdict(Took(step.name, round(cpu, 2), round(time.monotonic() - start, 2))))
        write_whole(folder / _TIMES, json.dumps(took))
        kept.parent.mkdir(parents=True, exist_ok=True)
        aside = kept.with_name(f"{kept.name}.{os.getpid()}")
        try:
            shutil.copytree(folder, aside)
            if not kept.exists():
                aside.rename(kept)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _key(flow: Flow, steps: list[Step], files: Mapping[str, str]) -> str:
    """Hash of all that decides the result."""
    tools = {tool.package: tool.version() for tool in flow.tools}
    parts = (_STEPS, dict(sorted(files.items())), [step.words for step in steps], tools | {"pyosys": version("pyosys")})
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _check_timing(report: Report) -> None:
    if report.reached_mhz < report.clock_mhz:
        raise BuildFailed(
            f"the clock is missed: {report.clock_mhz:g} MHz were asked for, {report.reached_mhz:g} MHz are reached; "
            f"the slowest path takes {report.slowest}"
        )
