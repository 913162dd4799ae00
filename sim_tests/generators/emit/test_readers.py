"""Every preset's Verilog is read by three independent front ends without a word that is not waived."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tilewright.generators.config.presets import preset_names
from tilewright.sim_tests.generators.emit.outputs import (
    ARRAYS,
    array_files,
    models_of,
    preset_files,
    run_verilog,
    write,
)
from tilewright.sim_tests.generators.emit.readers import Readers
from tilewright.sim_tests.harness.lint import lint
from tilewright.sim_tests.harness.tools import icarus

MODULE = "tilewright_gemm"
READERS = Readers(MODULE, Path(__file__).parent / "waivers.txt")


def test_waivers_are_few_and_have_reasons() -> None:
    lines = READERS.waivers.read_text().splitlines()[1:]
    assert len(lines) <= 10
    assert all(len(words) == 3 for words in READERS.waived)
    assert all(line.partition(":")[2].strip() for line in lines)


def test_the_check_finds_a_fault() -> None:
    text = "module tilewright_gemm (input wire [3:0] a, output wire [4:0] b);\n  assign b = a;\nendmodule\n"
    assert READERS.verilator_faults(text) and not READERS.pyslang_faults(text.replace("[4:0]", "[3:0]"))
    assert READERS.pyslang_faults(text.replace("= a", "= c"))


@pytest.mark.parametrize("name", preset_names())
def test_verilator_and_pyslang_read_presets(name: str) -> None:
    text = preset_files(name)[f"{MODULE}.v"]
    assert READERS.verilator_faults(text) == []
    assert READERS.pyslang_faults(text) == []


@pytest.mark.parametrize("name", ARRAYS)
def test_verilator_and_pyslang_read_arrays(name: str) -> None:
    files = array_files(name)
    text, models = files[f"{MODULE}.v"], models_of(files)
    assert READERS.verilator_faults(text, models) == []
    assert READERS.pyslang_faults(text, models) == []


def bench_faults(files: Mapping[str, str]) -> list[str]:
    sources = {name: files[name] for name in (f"{MODULE}.v", f"tb_{MODULE}.v")}
    found = lint(sources | models_of(files), f"tb_{MODULE}", timing=True)
    return [line for line in found if not line.startswith("%Warning-DECLFILENAME")]


@pytest.mark.parametrize("name", ["any-4x4-int8", "is-12x5-uint8-int6", "os-8x8-int8-vector4", "ws-8x8-int8-saturate"])
def test_verilator_has_nothing_to_say_of_benches_of_cores(name: str) -> None:
    assert bench_faults(preset_files(name)) == []


@pytest.mark.parametrize("name", ARRAYS)
def test_verilator_has_nothing_to_say_of_benches_of_arrays(name: str) -> None:
    assert bench_faults(array_files(name)) == []


@pytest.mark.parametrize("name", preset_names())
def test_icarus_reads_presets_and_their_bench_passes(name: str, tmp_path: Path) -> None:
    # Four-state: the bench compares with ===, so an x on an output that is valid is a fault.
    icarus()
    code, said = run_verilog(write(preset_files(name), tmp_path), MODULE)
    assert code == 0, said
    assert re.search(r"^PASS \d+ beats compared", said, re.M), said
