"""Every engine's Verilog is read by three independent front ends without a word that is not waived."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tilewright.sim_tests.generators.emit.engine_outputs import ENGINES, MODULE, engine_files
from tilewright.sim_tests.generators.emit.readers import Readers
from tilewright.sim_tests.harness.tools import icarus

READERS = Readers(MODULE, Path(__file__).parent / "engine_waivers.txt")


def test_waivers_are_few_and_have_reasons() -> None:
    lines = READERS.waivers.read_text().splitlines()[1:]
    assert len(lines) <= 10
    assert all(len(words) == 3 for words in READERS.waived)
    assert all(line.partition(":")[2].strip() for line in lines)


@pytest.mark.parametrize("name", ENGINES)
def test_all_read_it(name: str, tmp_path: Path) -> None:
    text = engine_files(name)[f"{MODULE}.v"]
    assert READERS.verilator_faults(text) == []
    assert READERS.pyslang_faults(text) == []
    icarus()
    (tmp_path / "engine.v").write_text(text)
    words = ["iverilog", "-g2005", "-Wall", "-t", "null", "engine.v"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
