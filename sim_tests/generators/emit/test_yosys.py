"""Yosys runs beside Python: its errors are told, its work can be stopped, and nothing of it is left."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from tilewright.generators.emit.yosys import Yosys, YosysFailed, cleaned, run

MODULE = "module top (input a, output b);\n  assign b = ~a;\nendmodule\n"
ENDLESS = "sat -seq 400 -prove y 0 hard"
HARD = """module hard (input clk, input [63:0] a, input [63:0] b, output y);
  assign y = (a * b == 64'd18446743979220271189) && a > 1 && b > 1;
endmodule
"""


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("nosuch", "ERROR: No such command: nosuch"),
        ("read_verilog none.v", "ERROR: File `none.v' not found"),
        ("hierarchy -top none", "ERROR: Module `none' not found!"),
        ("read_verilog bad.v", "bad.v:1: ERROR: syntax error"),
        ("proc -none", "ERROR: Command syntax error: Unknown option"),
    ],
)
def test_an_error_is_an_exception_with_what_yosys_said_last(tmp_path: Path, command: str, reason: str) -> None:
    (tmp_path / "bad.v").write_text("module a(; endmodule")
    with Yosys(tmp_path) as yosys, pytest.raises(YosysFailed) as failed:
        yosys.run(["stat", command, "stat"])
    assert str(failed.value).startswith(f"Yosys failed: {reason}")
    assert "\n" not in str(failed.value)


def test_what_is_no_netlist_is_told() -> None:
    with pytest.raises(YosysFailed, match="ERROR: Parser error in line 2"):
        cleaned("module \\top\n  cell")


def test_a_netlist_is_kept_between_calls(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(MODULE)
    netlist = run([f"read_verilog {tmp_path}/top.v"])
    assert run(["proc"], netlist) is netlist
    run(["rename top other", f"write_rtlil {tmp_path}/other.il"], netlist)
    assert "module \\other" in (tmp_path / "other.il").read_text()
    assert netlist.seconds > 0


def test_a_netlist_that_is_forgotten_leaves_no_process() -> None:
    netlist = run(["stat"])
    number = netlist._process.pid
    assert Path(f"/proc/{number}").exists()
    del netlist
    gc.collect()
    assert not Path(f"/proc/{number}").exists()


def test_work_is_stopped_from_outside(tmp_path: Path) -> None:
    (tmp_path / "hard.v").write_text(HARD)
    with Yosys(tmp_path) as yosys:
        timer = threading.Timer(1, yosys.stop)
        timer.start()
        start = time.monotonic()
        with pytest.raises(YosysFailed, match=r"^Yosys failed: "):
            yosys.run(["read_verilog hard.v", "proc", ENDLESS])
        assert time.monotonic() - start < 10
        timer.join()


def test_a_process_that_dies_is_told(tmp_path: Path) -> None:
    with Yosys(tmp_path) as yosys, pytest.raises(YosysFailed, match="it ended with code -6"):
        yosys.run(["exec -- kill -ABRT $PPID"])


def test_yosys_does_not_load_into_the_program_that_generates() -> None:
    code = "import sys, tilewright; tilewright.generate(rows=2, cols=2); print('pyosys' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout == "False\n"


def test_a_folder_with_blanks_in_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "with blanks; 'and' more"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    assert "cell $not" in cleaned(
        "module \\m\n  wire input 1 \\a\n  wire output 2 \\b\n  cell $not $1\n"
        "    parameter \\A_SIGNED 0\n    parameter \\A_WIDTH 1\n    parameter \\Y_WIDTH 1\n"
        "    connect \\A \\a\n    connect \\Y \\b\n  end\nend\n"
    )
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_netlist_that_does_not_fit_the_disk_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """Yosys writes what it can, and says nothing: no line, half a module, or one of two."""
    modules = "".join(f"module \\m{number}\n  wire input 1 \\a\nend\n" for number in range(2))
    assert cleaned(modules).count("\nend\n") == 2
    run = Yosys.run

    def run_and_cut(yosys: Yosys, commands: list[str]) -> None:
        run(yosys, commands)
        (target,) = tmp_path.glob("tilewright-emit-*/target.il")
        text = target.read_text()
        end = text.index("\nend\n")
        target.write_text(text[: (0, end, end + len("\nend\n"))[kept]])

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Yosys, "run", run_and_cut)
    with pytest.raises(OSError, match="is not whole") as caught:
        cleaned(modules)
    assert caught.value.filename == str(tmp_path)
