"""The split of the images."""

import numpy as np

from tilewright.generators.demo.digits import BRIGHTEST, digits


def test_the_split_is_whole_and_apart() -> None:
    training, test = digits()
    assert (len(training), len(test)) == (1437, 360)
    pixels = np.concatenate([training.images, test.images])
    assert pixels.shape == (1797, 64)
    assert (pixels.min(), pixels.max()) == (0, BRIGHTEST)


def test_every_digit_is_tested_about_as_often() -> None:
    counts = np.bincount(digits()[1].labels, minlength=10)
    assert counts.min() >= 30
    assert counts.max() <= 45
