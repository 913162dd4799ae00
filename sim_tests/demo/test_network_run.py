"""The demonstration network on a small core."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright.generators.config.presets import preset
from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.demo.coded import CodedNetwork, coded
from tilewright.generators.demo.digits import Digits, digits
from tilewright.generators.demo.network import trained_network
from tilewright.generators.emit import generate
from tilewright.sim_tests.demo.network_run import NetworkRun, run_network
from tilewright.sim_tests.harness import make
from tilewright.sim_tests.verify.cores import SMALL, claim, core_from, edit, folder_of
from tilewright.sim_tests.verify.subject import Subject, generated

IMAGES = 24  # fit the scratchpads of a small core


def few() -> Digits:
    test = digits()[1]
    return Digits(test.images[:IMAGES], test.labels[:IMAGES])


def network_of(subject: Subject) -> CodedNetwork:
    return coded(trained_network(), digits()[0], subject.config)


def run_folder(folder: Path) -> NetworkRun:
    subject = core_from(folder)
    return run_network(subject, make(subject.spec()), network_of(subject), few())


def test_every_accumulator_and_cycle_is_right(tmp_path: Path) -> None:
    run = run_folder(folder_of(SMALL, tmp_path))
    assert run.right_in_every_bit
    assert [(layer.m, layer.n, layer.k) for layer in run.layers] == [(IMAGES, 32, 64), (IMAGES, 10, 32)]
    network = network_of(core_from(tmp_path))
    inputs = network.inputs(few().images)
    assert np.array_equal(run.layers[0].accumulators, network.accumulators(0, inputs))
    assert run.right == (network.classify(few().images) == few().labels).sum()
    # 24 rows on 4 x 4: folds of 24 cycles, 16 x 8 and 8 x 3 of them.
    assert run.cycles == run.predicted
    assert run.layers[0].cycles >= 16 * 8 * 24
    assert run.utilisation == pytest.approx(IMAGES * (64 * 32 + 32 * 10) / (run.cycles * 16))
    assert run.cycles_per_second > 0


def test_floats_are_those_of_the_reference_in_every_bit() -> None:
    small = {"rows": 4, "cols": 4, "max_m": IMAGES, "max_n": 32, "max_k": 64}
    config = systolic_config(preset("ws-8x8-fp8-e4m3").config.model_dump() | small)
    subject = generated("ws-4x4-fp8-e4m3", config, generate(config))
    network, images = network_of(subject), few()
    run = run_network(subject, make(subject.spec()), network, images)
    assert run.right_in_every_bit
    inputs = network.inputs(images.images)
    assert np.array_equal(run.layers[0].accumulators, network.accumulators(0, inputs))
    assert len(np.unique(run.layers[0].accumulators)) > IMAGES * 16
    assert run.right == (network.classify(images.images) == images.labels).sum() >= IMAGES - 2


def test_a_wrong_adder_is_told_with_all_that_differs(tmp_path: Path) -> None:
    edit(folder_of(SMALL, tmp_path) / "tilewright_gemm.v", "total = sum_in + ", "total = sum_in - ")
    run = run_folder(tmp_path)
    assert not run.right_in_every_bit
    assert run.layers[0].differing > IMAGES * 32 // 2
    assert "C[0, 0]: expected" in run.layers[0].reason
    assert run.layers[0].recording is not None


def test_a_wrong_cycle_count_is_told(tmp_path: Path) -> None:
    claim(folder_of(SMALL, tmp_path), pipeline=3)
    run = run_folder(tmp_path)
    assert not run.right_in_every_bit
    assert [layer.differing for layer in run.layers] == [0, 0]
    first = run.layers[0]
    assert first.predicted == first.cycles + 2
    assert first.reason == f"the command takes {first.cycles} cycles, and {first.predicted} by the cycle model"


def test_a_refused_command_is_told(tmp_path: Path) -> None:
    claim(folder_of(SMALL, tmp_path), dataflow="os")  # whose answer the core gives; its ports are the same
    run = run_folder(tmp_path)
    assert not run.right_in_every_bit
    assert "expected status OK" in run.layers[0].reason
