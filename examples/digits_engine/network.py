"""Networks of convolutions and dense layers in floats, with rectifiers between the layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.demo.digits import BRIGHTEST
from tilewright.generators.demo.network import trained_network

Array = NDArray[Any]

WEIGHTS = Path(__file__).with_name("weights.npy")
SIDE = 8  # pixels of an image in x and y
PADDING = 1  # of convolutions
# (kernel height, kernel width, channels, output channels) and stride; the last is a dense layer
CONVOLUTIONS = (((3, 3, 1, 8), 1), ((3, 3, 8, 16), 2))
DENSE = (4 * 4 * 16, 10)


@dataclass(frozen=True)
class Layer:
    """``weights``: inputs x outputs, or (kernel height, kernel width, channels, output channels); ``bias``: of outputs.

    ``stride`` is a convolution's. A dense layer takes all values of an image in one row.
    """

    weights: Array
    bias: Array
    stride: int = 1

    @property
    def is_convolution(self) -> bool:
        """Whether it is one."""
        return self.weights.ndim == 4

    def operand(self, x: Array, fill: int = 0) -> Array:
        """The matrix that the weights are multiplied with; ``fill`` is the value of padding."""
        return windows(x, self.weights.shape[0], self.stride, fill) if self.is_convolution else x.reshape(len(x), -1)

    @property
    def matrix(self) -> Array:
        """The weights as a matrix."""
        return self.weights.reshape(-1, self.weights.shape[-1])


@dataclass(frozen=True)
class Network:
    """Layers one after the other. Images are (images, 8, 8, 1), real numbers 0..1."""

    layers: Sequence[Layer]

    def activations(self, images: Array) -> list[Array]:
        """What each layer gives, the rectifier's where one follows."""
        found: list[Array] = []
        for number, layer in enumerate(self.layers):
            x = layer.operand(found[-1] if found else images) @ layer.matrix + layer.bias
            found.append(np.maximum(x, 0) if number < len(self.layers) - 1 else x)
        return found

    def classify(self, images: Array) -> Array:
        """The digit that each image shows."""
        best: Array = np.argmax(self.activations(images)[-1], axis=-1)
        return best


def windows(x: Array, kernel: int, stride: int, fill: int) -> Array:
    """(images, y, x, values under the kernel) of (images, height, width, channels), padded all around."""
    padded = np.pad(x, ((0, 0), (PADDING, PADDING), (PADDING, PADDING), (0, 0)), constant_values=fill)
    views = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), axis=(1, 2))[:, ::stride, ::stride]
    return views.transpose(0, 1, 2, 4, 5, 3).reshape(*views.shape[:3], -1)


def pictures(pixels: Array) -> Array:
    """Pixels 0..16, an image a row, as images of real numbers."""
    return pixels.reshape(-1, SIDE, SIDE, 1) / BRIGHTEST


def dense_network() -> Network:
    """64-32-10: the network of the package's demonstration."""
    kept = trained_network()
    return Network((Layer(kept.w1, kept.b1), Layer(kept.w2, kept.b2)))


def convolutional_network() -> Network:
    """Two convolutions and a dense layer; `train` made the weights."""
    return unflattened(np.load(WEIGHTS).astype(np.float64))


def unflattened(numbers: Array) -> Network:
    """The convolutional network with all its numbers in a row, of each layer first the weights, then the bias."""
    shapes = [*CONVOLUTIONS, (DENSE, 1)]
    sizes = [size for shape, _ in shapes for size in (int(np.prod(shape)), shape[-1])]
    parts = np.split(numbers, np.cumsum(sizes)[:-1])
    return Network(
        tuple(Layer(parts[2 * n].reshape(shape), parts[2 * n + 1], stride) for n, (shape, stride) in enumerate(shapes))
    )


def flattened(network: Network) -> Array:
    """The inverse."""
    return np.concatenate([part.ravel() for layer in network.layers for part in (layer.weights, layer.bias)])
