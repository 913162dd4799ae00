"""The images of the demonstration: scikit-learn's handwritten digits, split once and for all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BRIGHTEST = 16  # of a pixel; the darkest is 0
TEST_IMAGES = 360

_STRIDE = 1000  # coprime to the number of images: strews the test images over all writers


@dataclass(frozen=True)
class Digits:
    """``images``, one of 64 pixels 0..16 a row, and their ``labels`` 0..9."""

    images: NDArray[np.int64]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)


def digits() -> tuple[Digits, Digits]:
    """(training images, test images): 1437 and 360, apart; the same on every machine."""
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    images = pixels.astype(np.int64)
    test = np.arange(len(labels)) * _STRIDE % len(labels) < TEST_IMAGES
    return Digits(images[~test], labels[~test]), Digits(images[test], labels[test])
