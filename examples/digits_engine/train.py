"""Trains the convolutional network: ``python -m digits_engine.train``, in examples/, writes ``weights.npy``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from digits_engine.network import CONVOLUTIONS, DENSE, PADDING, WEIGHTS, Network, flattened, pictures, unflattened
from tilewright.generators.demo.adam import adam
from tilewright.generators.demo.digits import digits

Array = NDArray[Any]

SEED = 1
EPOCHS = 25
RATE = 4e-3


def train(images: Array, labels: Array, seed: int = SEED) -> Network:
    """A network trained by Adam on cross-entropy; half a minute of one processor."""
    rng = np.random.default_rng(seed)
    shapes = [*(shape for shape, _ in CONVOLUTIONS), DENSE]
    fans = [int(np.prod(shape[:-1])) for shape in shapes]
    parts = [(rng.normal(0, (2 / fan) ** 0.5, s), np.zeros(s[-1])) for fan, s in zip(fans, shapes, strict=True)]
    weights = np.concatenate([part.ravel() for pair in parts for part in pair])
    trained = adam(
        weights, lambda w, batch: gradient(w, images[batch], labels[batch]), len(images), rng, epochs=EPOCHS, rate=RATE
    )
    return unflattened(trained)


def gradient(weights: Array, images: Array, labels: Array) -> Array:
    """Of the mean cross-entropy, in the order of `flattened`."""
    network = unflattened(weights)
    outputs = network.activations(images)
    odds = np.exp(outputs[-1] - outputs[-1].max(axis=1, keepdims=True))
    error = (odds / odds.sum(axis=1, keepdims=True) - np.eye(10)[labels]) / len(images)
    parts: list[Array] = []
    for number in reversed(range(len(network.layers))):
        layer, x = network.layers[number], outputs[number - 1] if number else images
        rows = layer.operand(x)
        flat = error.reshape(-1, error.shape[-1])
        parts = [(rows.reshape(len(flat), -1).T @ flat).ravel(), flat.sum(axis=0), *parts]
        if number:
            back = error @ layer.matrix.T
            spread = _spread(back, x.shape, layer.stride) if layer.is_convolution else back.reshape(x.shape)
            error = spread * (x > 0)
    return np.concatenate(parts)


def _spread(back: Array, shape: tuple[int, ...], stride: int) -> Array:
    """The transpose of `windows`: values under kernels are added up where they lie in the image."""
    count, height, width, channels = shape
    total = np.zeros((count, height + 2 * PADDING, width + 2 * PADDING, channels))
    kernel = int((back.shape[-1] // channels) ** 0.5)
    cells = back.reshape(*back.shape[:3], kernel, kernel, channels)
    for y in range(kernel):
        for x in range(kernel):
            rows, cols = stride * (back.shape[1] - 1) + 1, stride * (back.shape[2] - 1) + 1
            total[:, y : y + rows : stride, x : x + cols : stride] += cells[:, :, :, y, x]
    return total[:, PADDING:-PADDING, PADDING:-PADDING]


def main() -> None:
    """Trains, stores, and tells the accuracy."""
    training, test = digits()
    network = train(pictures(training.images), training.labels)
    np.save(WEIGHTS, flattened(network).astype(np.float32))
    right = int((network.classify(pictures(test.images)) == test.labels).sum())
    print(f"{right} of {len(test)} test images right")


if __name__ == "__main__":
    main()
