"""The core files, through FuseSoC: it finds each target, and lints and simulates with them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from tilewright.fpga.export.fusesoc import fusesoc
from tilewright.fpga.export.product import Product
from tilewright.sim_tests.fpga.export.products import core, engine
from tilewright.sim_tests.generators.emit.outputs import write
from tilewright.sim_tests.harness.tools import verilator


@cache
def exported(which: str) -> tuple[Product, Mapping[str, str]]:
    """A product and what is exported of it."""
    product = core() if which == "core" else engine()
    return product, fusesoc(product)


class Runner:
    """FuseSoC with the core file of a product in ``folder``."""

    def __init__(self, which: str, folder: Path) -> None:
        self.product, files = exported(which)
        self.folder = folder
        write(files, folder / "core")
        (folder / "bin").mkdir()
        tool = verilator()  # FuseSoC looks for it by its name
        script = folder / "bin" / "verilator"
        script.write_text(f'#!/bin/sh\nexec {" ".join(tool.command)} "$@"\n')
        script.chmod(0o755)
        paths = [str(script.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
        self._environment = {**tool.environment, "PATH": os.pathsep.join(paths), "HOME": str(folder)}

    def run(self, target: str, *words: str) -> str:
        """What it says of ``target``."""
        command = ["fusesoc", "--cores-root", "core", "run", *words, "--target", target]
        done = subprocess.run(
            [*command, f"tilewright:ip:{self.product.top}"],
            cwd=self.folder, env=self._environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.mark.parametrize(("which", "said"), [("core", "beats compared in"), ("engine", "PASS 8 registers compared")])
def test_it_lints_and_simulates(which: str, said: str, tmp_path: Path) -> None:
    runner = Runner(which, tmp_path)
    assert "%Warning" not in runner.run("lint")
    assert said in runner.run("sim_icarus")
    runner.run("sim", "--setup")
    (options,) = tmp_path.glob("build/*/sim/*.vc")
    assert {"--binary", "--timing", f"--top-module tb_{runner.product.top}"} <= {*options.read_text().splitlines()}


def test_it_sets_up_the_tools_of_a_board(tmp_path: Path) -> None:
    runner = Runner("core", tmp_path)
    runner.run("ulx3s", "--setup")
    (rules,) = tmp_path.glob("build/*/ulx3s/Makefile")
    text = rules.read_text()
    place = "nextpnr-ecp5 -l next.log --85k --package CABGA381 --speed 6 --lpf"
    assert place in text and "ecppack --compress" in text and f"{runner.product.top}_board.lpf" in text


def test_a_core_that_is_too_wide_for_a_link_has_no_target_for_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.fpga.export.fusesoc.MOST_BEAT", 5)
    files = fusesoc(core())
    assert "ulx3s" not in files["tilewright_gemm.core"] and not any("board" in name for name in files)


def test_a_register_that_is_another_one_fails_the_bench(tmp_path: Path) -> None:
    product, files = exported("engine")
    bench = f"tb_{product.top}.v"
    assert "32'h544c5752" in files[bench]
    write({**files, bench: files[bench].replace("32'h544c5752", "32'h544c5753")}, tmp_path)
    build = ["iverilog", "-g2005-sv", "-o", "sim", product.source, bench]
    subprocess.run(build, cwd=tmp_path, check=True, timeout=60)
    done = subprocess.run(["vvp", "-n", "sim"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0 and "FAIL register at 0x000: expected 0x544c5753, got 0x544c5752" in done.stdout
