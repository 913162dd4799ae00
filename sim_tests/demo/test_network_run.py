"""The demonstration network on a small core."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright.generators.demo.digits import Digits, digits
from tilewright.generators.demo.network import trained_network
from tilewright.generators.demo.quantise import IntegerNetwork, quantise
from tilewright.sim_tests.demo.network_run import NetworkRun, run_network
from tilewright.sim_tests.harness import make
from tilewright.sim_tests.verify.cores import SMALL, claim, edit, folder_of
from tilewright.sim_tests.verify.subject import Subject, from_folder

IMAGES = 24  # fit the scratchpads of a small core


def few() -> Digits:
    test = digits()[1]
    return Digits(test.images[:IMAGES], test.labels[:IMAGES])


def integers(subject: Subject) -> IntegerNetwork:
    c = subject.config
    assert c.integers is not None
    return quantise(trained_network(), digits()[0], *c.integers)


def run_folder(folder: Path) -> NetworkRun:
    subject = from_folder(folder)
    return run_network(subject, make(subject.spec()), integers(subject), few())


def test_every_accumulator_and_cycle_is_right(tmp_path: Path) -> None:
    run = run_folder(folder_of(SMALL, tmp_path))
    assert run.right_in_every_bit
    assert [(layer.m, layer.n, layer.k) for layer in run.layers] == [(IMAGES, 32, 64), (IMAGES, 10, 32)]
    network = integers(from_folder(tmp_path))
    inputs = network.inputs(few().images)
    assert np.array_equal(run.layers[0].accumulators, network.accumulators(0, inputs))
    assert run.right == (network.classify(few().images) == few().labels).sum()
    # 24 rows on 4 x 4: folds of 24 cycles, 16 x 8 and 8 x 3 of them.
    assert run.cycles == run.predicted
    assert run.layers[0].cycles >= 16 * 8 * 24
    assert run.utilisation == pytest.approx(IMAGES * (64 * 32 + 32 * 10) / (run.cycles * 16))
    assert run.cycles_per_second > 0


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
