"""The network in narrow floats."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.demo.coded import coded
from tilewright.generators.demo.digits import digits
from tilewright.generators.demo.narrow import FloatNetwork, narrow
from tilewright.generators.demo.network import trained_network
from tilewright.hdl.numeric import FP32, FloatFormat, decode, encode

FORMATS = ("bf16", "fp16", "fp8_e4m3", "fp8_e5m2")


@cache
def float_network(name: str) -> FloatNetwork:
    fmt = FloatFormat.parse(name)
    return narrow(trained_network(), digits()[0], fmt, fmt)


@pytest.mark.parametrize("name", FORMATS)
def test_it_reads_as_well_as_the_network_in_float64(name: str) -> None:
    test = digits()[1]
    right = int((float_network(name).classify(test.images) == test.labels).sum())
    assert right >= int((trained_network().classify(test.images) == test.labels).sum()) - 2


@pytest.mark.parametrize("name", FORMATS)
def test_the_largest_of_each_tensor_is_in_one_binade_and_nothing_overflows(name: str) -> None:
    network, fmt = float_network(name), FloatFormat.parse(name)
    for layer in network.layers:
        assert 128 <= np.abs(decode(layer.weights, fmt)).max() <= 256
    accumulators = network.accumulators(0, network.inputs(digits()[0].images))
    hidden = decode(network.activate(accumulators), fmt)
    assert 100 < hidden.max() <= 288 and hidden.min() == 0
    largest = decode(accumulators, FP32).max()
    assert network.activate(encode(np.array([1e30, largest]), FP32).astype(np.int64))[0] >= encode(256.0, fmt)


def test_scaled_by_powers_of_two_the_logits_are_those_of_the_network() -> None:
    # Where formats are wide enough nothing but rounding is between them.
    network, images = narrow(trained_network(), digits()[0], FP32, FP32), digits()[1].images[:50]
    got = decode(network.accumulators(1, network.activate(network.accumulators(0, network.inputs(images)))), FP32)
    want = trained_network().logits(images)
    exponents = np.log2(np.abs(got / want))
    assert np.abs(exponents - np.rint(exponents[0, 0])).max() < 1e-2
    assert (np.sign(got) == np.sign(want)).all()


def test_an_accumulator_starts_from_the_bias_and_rounds_once_a_step() -> None:
    network = float_network("bf16")
    operands = network.inputs(digits()[1].images[:1])
    bf16 = network.a
    total = decode(network.layers[1].bias, FP32)[0, 3]
    hidden = network.activate(network.accumulators(0, operands))
    for x, w in zip(decode(hidden, bf16)[0], decode(network.layers[1].weights, bf16)[:, 3], strict=True):
        total = np.float64(np.float32(total + x * w))  # the product is exact, and so is nearly every sum in float64
    assert encode(total, FP32) == network.accumulators(1, hidden)[0, 3]


def test_windows_are_refused() -> None:
    config = systolic_config({"a": "bf16", "acc": "fx48"})
    with pytest.raises(ValueError, match="acc must be an integer format or fp32 for the demonstration, got fx48"):
        coded(trained_network(), digits()[0], config)
