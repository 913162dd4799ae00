"""Modules are mapped once, by what decides the result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tilewright.generators.emit.yosys import YosysFailed
from tilewright.generators.report.synthesis import AREA, Job, map_module, synthesise

SOURCES = {
    "leaf": "module leaf (input [7:0] a, input [7:0] b, output [15:0] y);\n  assign y = a * b;\nendmodule\n",
    "top": "module top (input clk, input [7:0] a, input [7:0] b, output reg [15:0] y);\n  wire [15:0] p;\n"
    "  leaf one (.a(a), .b(b), .y(p));\n  always @(posedge clk) y <= p;\nendmodule\n",
    "other": "module other (input a, output y);\n  assign y = ~a;\nendmodule\n",
}
JOB = Job("top", SOURCES, "ecp5")


def test_only_modules_below_the_top_decide() -> None:
    assert set(JOB.reachable()) == {"top", "leaf"}
    assert replace(JOB, sources=SOURCES | {"other": "module other; endmodule"}).key() == JOB.key()
    assert replace(JOB, sources=SOURCES | {"leaf": SOURCES["leaf"].replace("*", "+")}).key() != JOB.key()
    assert replace(JOB, top="leaf").key() != JOB.key()


def test_cells_are_those_of_the_device() -> None:
    assert dict(map_module(JOB).cells) == {"MULT18X18D": 1, "TRELLIS_FF": 16}


def test_what_was_mapped_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    told: list[str] = []
    first = synthesise([JOB], told.append)[0]
    again = synthesise([JOB], told.append)[0]
    assert told == ["top"]
    assert (first.remembered, again.remembered) == (False, True)
    assert again.cells == first.cells
    assert [file.name for file in (tmp_path / AREA).iterdir()] == [f"{JOB.key()}.json"]


@pytest.mark.parametrize(
    "text", ["{", "[]", "7", '{"cells": [1], "seconds": 1}', '{"cells": {"LUT4": "x"}, "seconds": 1}', "[" * 100_000]
)
def test_a_spoilt_memory_is_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    (tmp_path / AREA).mkdir()
    (tmp_path / AREA / f"{JOB.key()}.json").write_text(text)
    assert not synthesise([JOB])[0].remembered
    assert synthesise([JOB])[0].remembered


def test_a_module_that_yosys_cannot_read_ends_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    with pytest.raises(YosysFailed, match=r"design.v:1: ERROR: syntax error"):
        synthesise([Job("broken", {"broken": "module broken (input a; endmodule"}, "ecp5")])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_no_process_and_no_file(tmp_path: Path, number: signal.Signals, code: int) -> None:
    program = "from tilewright.generators.cli import main; main()"
    words = ["report", "area", "--product", "array", "--rows", "16", "--cols", "16", "--dataflow", "os"]
    places = {"TILEWRIGHT_CACHE": tmp_path / "cache", "TMPDIR": tmp_path / "temporary"}
    places["TMPDIR"].mkdir()
    running = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        env=os.environ | {name: str(path) for name, path in places.items()},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert running.stderr is not None
    assert "synthesis for ecp5" in running.stderr.readline()
    with running, running.stderr:
        while not list(places["TMPDIR"].glob("tilewright-area-*/*/design.v")):
            assert running.poll() is None
            time.sleep(0.05)
        children = _children(running.pid)
        assert children
        running.send_signal(number)
        assert running.wait(30) == code
    end = time.monotonic() + 10
    while any(_alive(child) for child in children) and time.monotonic() < end:
        time.sleep(0.05)
    assert [child for child in children if _alive(child)] == []
    assert list(places["TMPDIR"].iterdir()) == []
    assert not list(tmp_path.rglob("*.json"))


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
