"""The network in floats: two layers with a rectifier between them, and the weights that ship with the package."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.demo.digits import BRIGHTEST

PIXELS, HIDDEN, CLASSES = 64, 32, 10

Floats = NDArray[np.float64]

_SHAPES = ((PIXELS, HIDDEN), (HIDDEN,), (HIDDEN, CLASSES), (CLASSES,))
_FILE = resources.files("tilewright.generators.demo") / "weights.npy"


@dataclass(frozen=True)
class Network:
    """Weights (inputs x outputs) and biases of the two layers; activations are rows, pixels scaled to 0..1."""

    w1: Floats
    b1: Floats
    w2: Floats
    b2: Floats

    @classmethod
    def unflattened(cls, numbers: Floats) -> Network:
        """The network whose `flat` is ``numbers``."""
        ends = np.cumsum([int(np.prod(shape)) for shape in _SHAPES])
        return cls(*(part.reshape(shape) for part, shape in zip(np.split(numbers, ends[:-1]), _SHAPES, strict=True)))

    @property
    def flat(self) -> Floats:
        """All weights and biases in one row."""
        return np.concatenate([part.ravel() for part in (self.w1, self.b1, self.w2, self.b2)])

    def hidden(self, images: NDArray[np.int64]) -> Floats:
        """Activations between the layers, ``(images, 32)``."""
        return np.maximum(images / BRIGHTEST @ self.w1 + self.b1, 0)

    def logits(self, images: NDArray[np.int64]) -> Floats:
        """A number for each class, ``(images, 10)``; the largest wins."""
        return self.hidden(images) @ self.w2 + self.b2

    def classify(self, images: NDArray[np.int64]) -> NDArray[np.int64]:
        """The digit that each image shows."""
        best: NDArray[np.int64] = np.argmax(self.logits(images), axis=1)
        return best


def trained_network() -> Network:
    """The network that ships with the package; `train` made it."""
    with resources.as_file(_FILE) as path:
        return Network.unflattened(np.load(path).astype(np.float64))
