"""Trains the network of the demonstration: ``python -m tilewright.generators.demo.train`` writes ``weights.npy``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tilewright.generators.demo.digits import BRIGHTEST, Digits, digits
from tilewright.generators.demo.network import CLASSES, HIDDEN, PIXELS, Floats, Network

SEED = 1
EPOCHS = 60
BATCH = 32
RATE = 2e-3
DECAY = 1e-2  # keeps weights small and alike, which costs four-bit weights less
MOMENTS = (0.9, 0.999)  # of Adam
GRID = 1 << 12  # weights are stored as multiples of 1/4096: far finer than training repeats across machines


def train(training: Digits, seed: int = SEED) -> Network:
    """A network trained on ``training`` by Adam on cross-entropy; seconds of one processor."""
    rng = np.random.default_rng(seed)
    weights = Network(
        rng.normal(0, PIXELS**-0.5, (PIXELS, HIDDEN)), np.zeros(HIDDEN),
        rng.normal(0, HIDDEN**-0.5, (HIDDEN, CLASSES)), np.zeros(CLASSES),
    ).flat  # fmt: skip
    mean, square, step = np.zeros_like(weights), np.zeros_like(weights), 0
    inputs, targets = training.images / BRIGHTEST, np.eye(CLASSES)[training.labels]
    for epoch in range(EPOCHS):
        rate = RATE * (1 - epoch / EPOCHS)
        order = rng.permutation(len(training))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            gradient = _gradient(weights, inputs[batch], targets[batch])
            step += 1
            mean = MOMENTS[0] * mean + (1 - MOMENTS[0]) * gradient
            square = MOMENTS[1] * square + (1 - MOMENTS[1]) * gradient**2
            direction = mean / (1 - MOMENTS[0] ** step) / (np.sqrt(square / (1 - MOMENTS[1] ** step)) + 1e-8)
            weights = weights - rate * (direction + DECAY * weights)
    return Network.unflattened(np.round(weights * GRID) / GRID)


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
