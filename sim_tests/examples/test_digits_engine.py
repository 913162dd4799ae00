"""The digits on the RTL of an engine: a few images in the gate, on a small one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.demo.digits import Digits, digits
from tilewright.generators.demo.network import trained_network
from tilewright.sim_tests.benchmarks.scripts import script
from tilewright.sim_tests.examples.engines import SMALL
from tilewright.sim_tests.examples.example import module

IMAGES = 2


def test_both_networks_on_the_engine_are_those_of_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    example = module("digits_engine.run")
    training, test = digits()
    few = Digits(test.images[:IMAGES], test.labels[:IMAGES])
    with Accelerator.simulate(SMALL) as accelerator:
        for name, make in example.NETWORKS.items():
            found = example.run(accelerator, make(), training, few)
            assert found.differing == 0 and found.right["RTL"] == found.right["integer reference"]
            assert found.compared == sum(run.values for run in found.runs) > 0
            module("digits_engine.__main__").show_outcome(name, found, accelerator)
            told = capsys.readouterr().out
            assert all(f"{run.cycles:,}" in told for run in found.runs) and "FAILED" not in told
            kept = script("digits").figures(name, found, accelerator)
            assert [figure.value for figure in kept if figure.what == "cycles"] == [run.cycles for run in found.runs]


def test_the_same_over_the_link_of_a_board(capsys: pytest.CaptureFixture[str]) -> None:
    example, told = module("digits_engine.run"), module("digits_engine.__main__")
    training, test = digits()
    few = Digits(test.images[:IMAGES], test.labels[:IMAGES])
    with told.reached("sim:any-4x4-int8") as accelerator:
        found = example.run(accelerator, example.NETWORKS["dense 64-32-10"](), training, few)
        told.show_outcome("dense", found, accelerator)
    assert found.differing == 0 and found.right["RTL"] == found.right["integer reference"]
    assert "not counted" in capsys.readouterr().out


def test_a_wrong_result_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, network = module("digits_engine.on_engine"), module("digits_engine.network")
    training, test = digits()
    images = network.pictures(test.images[:2])
    quantise = module("digits_engine.integers").quantise
    whole = quantise(network.dense_network(), network.pictures(training.images), SMALL)

    def wrong(_: object, integers: Any, number: int, x: Any) -> Any:
        found = integers.reference(number, x)
        found[0, -1] ^= 1
        return found

    monkeypatch.setattr(engine, "run_layer", wrong)
    last = SimpleNamespace(macs=1, counts={"cycles": 1})
    _, runs = engine.classify(SimpleNamespace(last=last), whole, images)
    assert [(run.values, run.differing) for run in runs] == [(64, 1), (20, 1)]


def test_networks_read_the_digits() -> None:
    network = module("digits_engine.network")
    integers = module("digits_engine.integers")
    training, test = digits()
    images = network.pictures(test.images)
    for make in (network.dense_network, network.convolutional_network):
        whole = integers.quantise(make(), network.pictures(training.images), SMALL)
        for found in (make().classify(images), whole.classify(images)):
            assert (found == test.labels).mean() > 0.96


def test_the_dense_network_is_that_of_the_demonstration() -> None:
    network = module("digits_engine.network")
    _, test = digits()
    assert np.allclose(
        network.dense_network().activations(network.pictures(test.images))[-1], trained_network().logits(test.images)
    )


@pytest.mark.parametrize("stride", [1, 2])
def test_windows_lie_under_the_kernel(stride: int) -> None:
    x = np.random.default_rng(stride).integers(-9, 9, (2, 6, 6, 3))
    found = module("digits_engine.network").windows(x, 3, stride, -5)
    assert found.shape == (2, 6 // stride, 6 // stride, 27)
    for y in range(found.shape[1]):
        for column in range(found.shape[2]):
            for dy in range(3):
                for dx in range(3):
                    at_y, at_x = y * stride + dy - 1, column * stride + dx - 1
                    inside = 0 <= at_y < 6 and 0 <= at_x < 6
                    wanted = x[:, at_y, at_x] if inside else np.full((2, 3), -5)
                    start = 3 * (3 * dy + dx)
                    assert np.array_equal(found[:, y, column, start : start + 3], wanted)


def test_gradients_are_those_of_the_loss() -> None:
    train, network = module("digits_engine.train"), module("digits_engine.network")
    rng = np.random.default_rng(2)
    weights = rng.normal(0, 0.2, network.flattened(network.convolutional_network()).size)
    images, labels = rng.random((3, 8, 8, 1)), np.array([1, 5, 9])

    def loss(numbers: np.ndarray) -> float:
        outputs = network.unflattened(numbers).activations(images)[-1]
        return float(np.mean(np.log(np.exp(outputs).sum(axis=1)) - outputs[np.arange(3), labels]))

    gradient = train.gradient(weights, images, labels)
    for place in rng.integers(0, weights.size, 20):
        step = np.zeros_like(weights)
        step[place] = 1e-5
        assert gradient[place] == pytest.approx((loss(weights + step) - loss(weights - step)) / 2e-5, abs=1e-8)
