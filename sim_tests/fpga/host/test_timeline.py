from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from tilewright.fpga.host.timeline import timeline
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.reference.engine_queue import Moment
from tilewright.hdl.engine.records import Opcode, Target
from tilewright.sim_tests.fpga.host.engines import refuses

PROGRAM = [
    Instruction(Opcode.LOAD_TENSOR, {}),
    Instruction(Opcode.LOAD, {"target": Target.A, "rows": 3, "cols": 4}),
    Instruction(Opcode.LOAD, {"target": Target.B, "rows": 4, "cols": 5}),
    Instruction(Opcode.GEMM, {"m": 3, "n": 5, "k": 4}),
    Instruction(Opcode.STORE, {"rows": 3, "cols": 5}),
]
MOMENTS = [Moment(0, 5, 5), Moment(1, 10, 50), Moment(2, 12, 70), Moment(3, 70, 80), Moment(4, 80, 100)]
SVG = "{http://www.w3.org/2000/svg}"


def bars(svg: str) -> list[tuple[str, str, int, int]]:
    """(kind, words, first cycle, last cycle) of each bar, as its title tells."""
    found = []
    for box in ElementTree.fromstring(svg).iter(f"{SVG}rect"):
        title = box.find(f"{SVG}title")
        if title is not None:
            told = re.fullmatch(r"(.*): cycles (\d+) to (\d+)", title.text or "")
            assert told is not None
            found.append((box.get("class") or "", told[1], int(told[2]), int(told[3])))
    return found


def test_each_instruction_is_a_bar_and_waits_are_hatched() -> None:
    svg = timeline(PROGRAM, MOMENTS, 110)
    assert bars(svg) == [
        ("wait", "load waits", 0, 10),
        ("run", "LOAD A 3 x 4", 10, 50),
        ("run", "LOAD B 4 x 5", 50, 70),  # what overlaps is drawn behind the one before
        ("wait", "compute waits", 0, 70),
        ("run", "GEMM 3 x 5 x 4", 70, 80),
        ("wait", "store waits", 0, 80),
        ("run", "STORE 3 x 5", 80, 100),
    ]
    waits = [box for box in ElementTree.fromstring(svg).iter(f"{SVG}rect") if box.get("class") == "wait"]
    assert {box.get("fill") for box in waits} == {"url(#wait)"}


def test_bars_lie_in_their_rows_and_in_the_picture() -> None:
    root = ElementTree.fromstring(timeline(PROGRAM, MOMENTS, 110, 500))
    rows: dict[str, set[str]] = {}
    for box in root.iter(f"{SVG}rect"):
        title: Any = box.find(f"{SVG}title")
        if title is not None:
            assert float(box.get("x", "")) + float(box.get("width", "")) <= 500
            rows.setdefault(title.text.split()[0].lower().replace("gemm", "compute"), set()).add(box.get("y", ""))
    assert all(len(places) == 1 for places in rows.values())
    assert len(set.union(*rows.values())) == 3
    names = [text.text for text in root.iter(f"{SVG}text")]
    assert names[:3] == ["load", "compute", "store"]


@pytest.mark.parametrize(("cycles", "step"), [(1, 1), (8, 1), (9, 2), (40, 5), (81, 20), (123_456, 20_000)])
def test_the_axis_counts_in_round_numbers(cycles: int, step: int) -> None:
    texts = [text.text for text in ElementTree.fromstring(timeline([], [], cycles)).iter(f"{SVG}text")]
    assert texts[3:-1] == [str(at) for at in range(0, cycles + 1, step)]


def test_a_width_that_is_none() -> None:
    refuses(
        lambda: timeline([], [], 10, 20), "width must be a whole number 200..100000, got 20; nearest legal value is 200"
    )
