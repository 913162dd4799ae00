"""The tutorial works as it stands: every command, in order, and what it says that they print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tilewright
from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.config.engine import engine_config
from tilewright.sim_tests.docs.pages import ROOT
from tilewright.sim_tests.docs.tutorial import Step, steps
from tilewright.sim_tests.examples.example import needs_icarus
from tilewright.sim_tests.system.engine_designs import gate_engines

TUTORIAL = ROOT / "docs" / "tutorial.md"
MARK = "--- end of step {} ---"


def clone(folder: Path) -> None:
    """Something like a clone whose tools are installed: those of the Python that runs this."""
    folder.mkdir()
    for name in ("examples", "benchmarks"):
        (folder / name).symlink_to(ROOT / name)
    for name in ("Makefile", "pyproject.toml", "setup.py"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    tools = folder / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name, words in (("python", ""), ("tilewright", ' -c "from tilewright.generators.cli import main; main()"')):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n')
        (tools / name).chmod(0o755)
    (tools / "activate").write_text(f'export PATH="{tools}:$PATH"\n')
    (folder / ".venv" / ".ready").touch()


@needs_icarus
def test_every_command_does_what_the_tutorial_says(tmp_path: Path) -> None:
    clone(tmp_path / "tilewright")
    found = list(steps(TUTORIAL.read_text(encoding="utf-8")))
    assert len(found) > 8
    script = "".join(f"{step.commands}echo '{MARK.format(index)}'\n" for index, step in enumerate(found))
    words = ["bash", "-eu", "-c", script]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    rest = done.stdout
    for index, step in enumerate(found):
        output, _, rest = rest.partition(f"{MARK.format(index)}\n")
        missing = [line for line in step.printed if line.strip() not in output]
        assert not missing, f"{step.commands}must print {missing}, printed\n{output}"


def test_no_block_of_the_tutorial_is_left_out() -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    found = list(steps(text))
    assert len(found) == text.count("```sh\n")
    assert sum(bool(step.printed) for step in found) == text.count("```text\n")


def test_a_block_and_what_it_prints() -> None:
    text = "a\n```sh\nls\n```\n```verilog\nx\n```\nb\n```text\none\ntwo\n```\n```sh\npwd\n```\n"
    assert list(steps(text)) == [Step("ls\n", ("one", "two")), Step("pwd\n", ())]


def python_blocks(page: Path) -> list[str]:
    """What stands between three ticks."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def blocks_on_python() -> list[str]:
    """The blocks of the page: integers, floats, engines."""
    return python_blocks(ROOT / "docs" / "python.md")


def test_the_block_of_the_readme_works_as_it_stands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = python_blocks(ROOT / "README.md")
    asked: list[Any] = []
    simulate = Accelerator.simulate

    def one_that_is_built(fields: Any) -> Accelerator:
        asked.append(engine_config(fields))
        return simulate(gate_engines()["ws_4x4"].config)

    monkeypatch.setattr(Accelerator, "simulate", one_that_is_built)
    exec(block, {})
    assert (asked[0].rows, asked[0].cols) == (8, 8)
    assert re.fullmatch(r"True \d+ cycles\n", capsys.readouterr().out)


def test_the_page_on_python_works_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block, _, _ = blocks_on_python()
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    names: dict[str, Any] = {"a": rng.integers(-9, 9, (5, 6)), "b": rng.integers(-9, 9, (6, 7)), "bias": np.arange(7)}
    exec(block, names)
    assert np.array_equal(names["done"].c, names["a"] @ names["b"] + names["bias"])
    assert (tmp_path / "out" / "mine.v").is_file()
    assert "tilewright_gemm.v" in names["files"]


@pytest.mark.long  # it builds two cores more
def test_the_part_of_that_page_on_floats_works_as_it_stands() -> None:
    _, block, _ = blocks_on_python()
    rng = np.random.default_rng(1)
    names: dict[str, Any] = {"tilewright": tilewright, "a": rng.normal(size=(3, 4)), "b": rng.normal(size=(4, 5))}
    simulated = []
    monitored = {**vars(tilewright), "simulate": lambda *of, **how: simulated.append(tilewright.simulate(*of, **how))}
    names["tilewright"] = SimpleNamespace(**monitored)
    exec(block.replace("done.c, done.codes", "None"), names)
    assert simulated[0].codes.tolist() == [[0x3F933800]]
    assert simulated[0].c.tolist() == [[1.150146484375]]
    np.testing.assert_allclose(simulated[1].c, names["a"] @ names["b"], atol=0.1)  # of rounded operands


def test_the_part_of_that_page_on_engines_works_as_it_stands() -> None:
    _, _, block = blocks_on_python()
    rng = np.random.default_rng(2)
    a, b, bias = rng.integers(-9, 9, (5, 6)), rng.integers(-9, 9, (6, 7)), np.arange(7)
    pictures, kernels = rng.integers(-9, 9, (1, 4, 5, 3)), rng.integers(-9, 9, (3, 3, 3, 2))
    names: dict[str, Any] = {"a": a, "b": b, "bias": bias, "pictures": pictures, "kernels": kernels}
    asked: list[Any] = []

    def one_that_is_built(**fields: Any) -> Any:
        """An engine of the gate that has all that the page asks for."""
        asked.append(tilewright.EngineConfig(**fields))
        return gate_engines()["ws_4x4"].config

    shown = {name: getattr(tilewright, name) for name in tilewright.__all__} | {"EngineConfig": one_that_is_built}
    names["tilewright"] = SimpleNamespace(**shown)
    exec(block, names)
    built = gate_engines()["ws_4x4"].config
    assert [(c.rows, c.cols, c.channels) for c in asked] == [(built.rows, built.cols, built.channels)]
    assert np.array_equal(names["sums"], a @ b + bias)
    assert names["codes"].dtype == np.int8
    assert np.array_equal(names["codes"], np.maximum(np.rint((a @ b + bias) * 0.02) - 3, -3))
    assert np.array_equal(names["zeroed"], (a - 5) @ b)
    assert names["features"].shape == (1, 4, 5, 2)
    assert np.array_equal(names["outputs"]["y"], np.maximum(a @ b, 0))
    assert names["figures"]["macs"] == 4 * 5 * 27 * 2
    assert names["timeline"].startswith("<svg")
