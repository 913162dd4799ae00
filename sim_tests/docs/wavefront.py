"""What the elements of a small array do in every cycle of a real run, drawn.

Operands carry their own labels: x is the number of the step that it belongs to, the other operand that of the fold.
"""

from __future__ import annotations

import tempfile
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from tilewright.generators.config.systolic import systolic_config
from tilewright.hdl.systolic.parameters import Dataflow
from tilewright.sim_tests.docs.svg import GREY, INK, TINTS, Drawing
from tilewright.sim_tests.drivers.core_beats import Matrix
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.harness import make
from tilewright.sim_tests.harness.replay import replay
from tilewright.sim_tests.system.designs import Design

ROWS, COLS, STEPS, FOLDS = 3, 4, 5, 2
BEFORE, AFTER = 1, 2  # cycles shown around the activity


@dataclass(frozen=True)
class Activity:
    """An element in a cycle: the operands of step ``step`` of fold ``fold`` (1.., else 0) are there; a sum is done."""

    step: int = 0
    fold: int = 0
    done: bool = False


Run = dict[tuple[int, int, int], Activity]
"""(cycle, row, column) -> what the element does."""


@cache
def run(dataflow: str) -> tuple[Run, int, int]:
    """A product of two folds; its activity, the cycle that takes the command and the one that offers its completion."""
    words = {"a_words": 32, "b_words": 32, "c_words": 32}
    settings = {"module_name": f"wave_{dataflow}", "rows": ROWS, "cols": COLS, "dataflow": dataflow} | words
    design = Design(f"wave_{dataflow}", systolic_config(settings))
    a, b = _operands(dataflow)
    session = CoreSession(design.parameters)
    loads = [session.load("load_a", a), session.load("load_b", b)]
    command = session.command(a.shape[0], b.shape[1], a.shape[1], Dataflow[dataflow.upper()], after=loads)
    result = session.run(make(replace(design.spec(), trace=True)))  # the build that is replayed
    with tempfile.TemporaryDirectory(prefix="tilewright-wave-") as folder:
        recording = result.run.recording()
        replay(recording, Path(folder) / "wave.vcd")
        traces = _traces(Path(folder) / "wave.vcd")
    taken, offered = result.taken(command), result.offered(command)
    reset = recording.plan.limits.reset
    offset = (
        design.parameters.operand_offset + 1
    )  # from the sequencer's step to the operand register of row 0, column 0

    def value(signal: str, cycle: int) -> int:
        trace, time = traces[signal], 10 * (cycle + reset + 1) - 1  # just before the edge
        return trace[bisect_right(trace, (time, 1 << 62)) - 1][1]

    found: Run = {}
    for cycle in range(taken, offered + 1):
        for row in range(ROWS):
            for col in range(COLS):
                element = f"row[{row}].unit.pe[{col}].unit"
                # What the operand registers hold between steps is nobody's; only the sequencer knows what is a step.
                step = fold = 0
                if value("streamer.active", cycle - offset - row - col):
                    step = value(f"{element}.x_out", cycle)
                    fold = value(f"{element}.{'y_out' if dataflow == 'os' else 'held'}", cycle)
                leaves = dataflow == "os" and bool(value(f"{element}.capture_out", cycle))
                found[cycle, row, col] = Activity(step, fold, leaves)
    return found, taken, offered


def _operands(dataflow: str) -> tuple[Matrix, Matrix]:
    """A (M x K) and B (K x N) that are numbered by step and fold."""
    steps, folds = np.arange(STEPS) + 1, np.arange(COLS * FOLDS) // COLS + 1
    if dataflow == "ws":  # a row of A is a step, four columns of B are a fold
        return np.tile(steps[:, None], ROWS), np.tile(folds, (ROWS, 1))
    if dataflow == "os":  # a column of A is a step, four columns of B are a fold
        return np.tile(steps, (ROWS, 1)), np.tile(folds, (STEPS, 1))
    return np.tile(folds[:, None], ROWS), np.tile(steps, (ROWS, 1))  # a column of B is a step, four rows of A a fold


def _traces(vcd: Path) -> dict[str, list[tuple[int, int]]]:
    """(time, value) of every signal of the elements and of the sequencer; by its name within the array or the core."""
    scope: list[str] = []
    names: dict[str, list[str]] = {}
    traces: dict[str, list[tuple[int, int]]] = {}
    time = 0
    for line in vcd.read_text().splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scope.append(words[2])
        elif words[:1] == ["$upscope"]:
            scope.pop()
        elif words[:1] == ["$var"] and (scope[-1] == "streamer" or (len(scope) > 3 and scope[-4].startswith("row["))):
            name = ".".join([*(scope[-1:] if scope[-1] == "streamer" else scope[-4:]), words[4]])
            names.setdefault(words[3], []).append(name)
            traces[name] = []
        elif line.startswith("#"):
            time = int(line[1:])
        elif words and line[0] in "01b":
            digits, code = (words[0][1:], words[1]) if line[0] == "b" else (line[0], line[1:])
            for name in names.get(code, []):
                traces[name].append((time, int(digits, 2)))
    return traces


def wavefront(dataflow: str) -> str:
    """The drawing: a line for each element, a column for each cycle after the one that takes the command."""
    found, taken, offered = run(dataflow)
    busy = [cycle for (cycle, _, _), what in found.items() if what.step or what.done]
    first, last = min(busy) - BEFORE, min(max(busy) + AFTER, offered)
    side, left, top = 22, 92, 46
    drawing = Drawing(left + side * (last - first + 1) + 16, top + side * ROWS * COLS + 64)
    drawing.text(8, 20, f"{dataflow.upper()}, {ROWS} x {COLS} elements, {FOLDS} folds of {STEPS} steps", bold=True)
    for cycle in range(first, last + 1):
        x = left + side * (cycle - first)
        drawing.text(x + side / 2, top - 6, str(cycle - taken), size=10, middle=True, fill=GREY)
        for row in range(ROWS):
            for col in range(COLS):
                y, what = top + side * (row * COLS + col), found[cycle, row, col]
                if what.step:
                    drawing.box(x, y, side, side, fill=TINTS[what.fold - 1])
                    drawing.text(x + side / 2, y + 15, str(what.step), size=11, middle=True)
                else:
                    drawing.box(x, y, side, side)
                if what.done:
                    drawing.box(x + 2, y + side - 5, side - 4, 3, fill=INK)
    for row in range(ROWS):
        for col in range(COLS):
            drawing.text(left - 8, top + side * (row * COLS + col) + 15, f"row {row}, col {col}", size=10, end=True)
    y = top + side * ROWS * COLS + 22
    done = "; bar: the sum is done and goes to the drain" if dataflow == "os" else ""
    for line, words in enumerate(
        (
            "across: cycles after the edge that takes the command",
            "number: the step whose operands have come; colour: the fold",
            f"the completion is offered in cycle {offered - taken}{done}",
        )
    ):
        drawing.text(8, y + 16 * line, words, size=11)
    return drawing.svg()
