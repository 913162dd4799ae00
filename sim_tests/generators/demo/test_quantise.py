"""The network in integers."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tilewright.generators.demo.digits import digits
from tilewright.generators.demo.network import trained_network
from tilewright.generators.demo.quantise import IntegerNetwork, quantise
from tilewright.hdl.numeric import IntFormat

INT4, INT8 = IntFormat(4), IntFormat(8)


@cache
def integer_network(bits: int) -> IntegerNetwork:
    operand = IntFormat(bits)
    return quantise(trained_network(), digits()[0], operand, operand, IntFormat(32 if bits == 8 else 20))


def accuracy(bits: int) -> float:
    test = digits()[1]
    return float((integer_network(bits).classify(test.images) == test.labels).mean())


def test_eight_bits_cost_less_than_a_point_of_accuracy() -> None:
    test = digits()[1]
    in_floats = (trained_network().classify(test.images) == test.labels).mean()
    assert accuracy(8) >= in_floats - 0.01


def test_four_bits_still_read_most_digits() -> None:
    assert accuracy(4) >= 0.92


@pytest.mark.parametrize("bits", [4, 8])
def test_integers_stand_for_the_real_numbers(bits: int) -> None:
    network, test = integer_network(bits), digits()[1]
    sums = network.accumulators(0, network.inputs(test.images))
    real = test.images / 16 @ trained_network().w1 + trained_network().b1
    worst = np.abs(sums * network.layers[0].unit - real).max()
    assert worst <= 20 / (1 << bits)  # a good step of each of 64 operands and weights, which mostly cancel


@pytest.mark.parametrize("bits", [4, 8])
def test_values_fit_the_formats_and_use_them(bits: int) -> None:
    network, images, fmt = integer_network(bits), digits()[0].images, IntFormat(bits)
    inputs = network.inputs(images)
    hidden = network.activate(network.accumulators(0, inputs))
    for values in (inputs, hidden):
        assert (values.min(), values.max()) == (fmt.min, fmt.max)
    for layer in network.layers:
        assert np.abs(layer.weights).max() == fmt.max
        assert layer.bias.shape == (1, layer.weights.shape[1])


def test_the_zero_point_is_folded_into_the_bias() -> None:
    network = integer_network(8)
    black = np.zeros((1, 64), dtype=np.int64)
    sums = network.accumulators(0, network.inputs(black))
    assert np.array_equal(sums, np.rint(trained_network().b1 / network.layers[0].unit)[None, :])


def test_accumulators_that_could_overflow_are_refused() -> None:
    with pytest.raises(ValueError, match=r"acc must hold sums of up to \d+, got int12"):
        quantise(trained_network(), digits()[0], INT8, INT8, IntFormat(12))
