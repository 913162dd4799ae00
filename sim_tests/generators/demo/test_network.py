"""The weights that ship."""

import numpy as np

from tilewright.generators.demo.digits import digits
from tilewright.generators.demo.network import Network, trained_network


def test_the_trained_network_reads_unseen_digits() -> None:
    test = digits()[1]
    assert (trained_network().classify(test.images) == test.labels).mean() >= 0.96


def test_flattening_loses_nothing() -> None:
    network = trained_network()
    assert network.flat.shape == (64 * 32 + 32 + 32 * 10 + 10,)
    again = Network.unflattened(network.flat)
    for name in ("w1", "b1", "w2", "b2"):
        assert np.array_equal(getattr(again, name), getattr(network, name))
