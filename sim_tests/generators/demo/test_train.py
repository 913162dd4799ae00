"""The script that made the weights."""

import numpy as np

from tilewright.generators.demo.digits import digits
from tilewright.generators.demo.network import trained_network
from tilewright.generators.demo.train import train


def test_training_again_gives_the_weights_that_ship() -> None:
    # Machines round differently in their last bits; weights are stored on a grid and may fall to either side.
    assert np.abs(train(digits()[0]).flat - trained_network().flat).max() <= 1e-3
