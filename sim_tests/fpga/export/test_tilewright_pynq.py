"""The driver for PYNQ on simulated engines: results bit by bit, what it refuses, and that it needs nothing of ours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tilewright.fpga.export.tilewright_program import product_program
from tilewright.fpga.export.tilewright_pynq import Accelerator
from tilewright.fpga.export.vivado import vivado
from tilewright.fpga.host.accelerator import Accelerator as Ours
from tilewright.generators.config.engine import EngineConfig
from tilewright.sim_tests.fpga.export.products import described
from tilewright.sim_tests.fpga.export.pynq_board import PynqBoard
from tilewright.sim_tests.generators.emit.outputs import write


def driver(ours: Ours, **options: Any) -> tuple[Accelerator, PynqBoard]:
    board = PynqBoard(ours.transport)
    return Accelerator(board, board.allocate, described(ours.config).manifest, **options), board


def test_integers_of_any_shape(integers: Ours) -> None:
    engine, board = driver(integers)
    rng = np.random.default_rng(1)
    for m, n, k in ((1, 1, 1), (5, 7, 3), (40, 33, 50), (3, 90, 130)):
        a, b, bias = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n)), rng.integers(-9999, 9999, n)
        assert np.array_equal(engine.matmul(a, b), a @ b)
        found = engine.matmul(a, b, bias=bias)
        assert found.dtype == np.int32 and np.array_equal(found, a @ b + bias)
        assert engine.last["cycles"] > 0 and board.held == 0
    engine.close()


def test_floats_are_those_of_our_own_driver(floats: Ours) -> None:
    rng = np.random.default_rng(2)
    a, b, bias = (rng.standard_normal(shape).astype(np.float32) for shape in ((9, 70), (70, 11), 11))
    found = driver(floats)[0].matmul(a, b, bias=bias)
    assert found.dtype == np.float32 and np.array_equal(found, floats.matmul(a, b, bias=bias))


def test_of_several_cores_the_first_computes(cores: Ours) -> None:
    a = np.arange(-30, 34).reshape(8, 8)
    assert np.array_equal(driver(cores)[0].matmul(a, a.T), a @ a.T)


def test_what_is_refused(integers: Ours) -> None:
    engine, board = driver(integers)
    one = np.ones((2, 2), dtype=int)
    for a, b, bias, sentence in (
        ([1], one, None, "a must have 2 dimensions, got 1"),
        (one, [[1, 2]], None, r"a and b must be M x K and K x N, none of them 0, got \(2, 2\) and \(1, 2\)"),
        (one * 128, one, None, r"a must be integers of int8, -128..127"),
        (one, one * 0.5, None, r"b must be integers of int8, -128..127"),
        (one, one, [1], "bias must have 2 values, got 1"),
    ):
        with pytest.raises(ValueError, match=f"^{sentence}$"):
            engine.matmul(a, b, bias=bias)
    told = described(integers.config).manifest
    other = {**told, "constants": told["constants"] | {"digest": 1}}
    with pytest.raises(
        ValueError, match=r"^the bitstream must be the one of this description: register digest must be 0x"
    ):
        Accelerator(board, board.allocate, other)


def test_a_run_that_fails_says_why(integers: Ours) -> None:
    engine, board = driver(integers)
    with pytest.raises(RuntimeError, match=r"^the engine has failed: ILLEGAL_INSTRUCTION, detail 0, tag 7$"):
        engine.run(bytes([0xEE, 7, *bytes(62)]))
    assert np.array_equal(engine.matmul([[2]], [[3]]), [[6]]) and board.held == 0


def test_a_run_without_an_end_is_stopped(integers: Ours) -> None:
    engine, board = driver(integers, timeout=0.05)
    program = bytearray(product_program(described(integers.config).manifest, (1, 1, 1), 64, 128, None, 192))
    program[4 * 64 + 2] = 0x80  # the first load waits for a token that nobody gives
    with pytest.raises(TimeoutError, match=r"^the engine must end within 0.05 s; it was told to stop$"):
        engine.run(bytes(program))
    assert board.held == 0
    engine, _ = driver(integers)
    assert np.array_equal(engine.matmul([[2]], [[3]]), [[6]])


def test_what_is_exported_stands_alone(integers: Ours, tmp_path: Path) -> None:
    config = integers.config
    assert isinstance(config, EngineConfig)
    write(vivado(described(config)), tmp_path)
    words = "import sys, tilewright_pynq as p; print(p.Accelerator.__name__, 'tilewright' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", words], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Accelerator", "False"]


def test_an_overlay_is_loaded_by_pynq(integers: Ours, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board, product = PynqBoard(integers.transport), described(integers.config)
    loaded: list[str] = []

    class Overlay(SimpleNamespace):
        def __init__(self, bitstream: str) -> None:
            loaded.append(bitstream)
            super().__init__(**{f"{product.top}_0": SimpleNamespace(mmio=board)})

    pynq: Any = ModuleType("pynq")
    pynq.Overlay, pynq.allocate = Overlay, board.allocate
    monkeypatch.setitem(sys.modules, "pynq", pynq)
    (tmp_path / "engine.json").write_text(json.dumps(product.manifest))
    with Accelerator.connect("design.bit", str(tmp_path / "engine.json")) as engine:
        assert np.array_equal(engine.matmul([[2, 3]], [[4], [5]]), [[23]])
    assert loaded == ["design.bit"]
