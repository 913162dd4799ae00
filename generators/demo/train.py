"""Trains the network of the demonstration: ``python -m tilewright.generators.demo.train`` writes ``weights.npy``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.demo.adam import adam
from tilewright.generators.demo.digits import BRIGHTEST, Digits, digits
from tilewright.generators.demo.network import CLASSES, HIDDEN, PIXELS, Floats, Network

SEED = 1
EPOCHS = 60
RATE = 2e-3


def train(training: Digits, seed: int = SEED) -> Network:
    """A network trained on ``training`` by Adam on cross-entropy; seconds of one processor."""
    rng = np.random.default_rng(seed)
    weights = Network(
        rng.normal(0, PIXELS**-0.5, (PIXELS, HIDDEN)), np.zeros(HIDDEN),
        rng.normal(0, HIDDEN**-0.5, (HIDDEN, CLASSES)), np.zeros(CLASSES),
    ).flat  # fmt: skip
    inputs, targets = training.images / BRIGHTEST, np.eye(CLASSES)[training.labels]

    def gradient(numbers: Floats, batch: NDArray[np.int64]) -> Floats:
        return _gradient(numbers, inputs[batch], targets[batch])

    return Network.unflattened(adam(weights, gradient, len(training), rng, epochs=EPOCHS, rate=RATE))


def _gradient(weights: Floats, inputs: Floats, targets: Floats) -> Floats:
    """Of the mean cross-entropy of a batch, in the order of `Network.flat`."""
    network = Network.unflattened(weights)
    hidden = np.maximum(inputs @ network.w1 + network.b1, 0)
    logits = hidden @ network.w2 + network.b2
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    error = (odds / odds.sum(axis=1, keepdims=True) - targets) / len(inputs)
    back = error @ network.w2.T * (hidden > 0)
    return Network(inputs.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)).flat


def main() -> None:
    """Trains, stores, and tells the accuracy."""
    training, test = digits()
    network = train(training)
    np.save(Path(__file__).with_name("weights.npy"), network.flat.astype(np.float32))
    right = int((network.classify(test.images) == test.labels).sum())
    print(f"{right} of {len(test)} test images right")


if __name__ == "__main__":
    main()
