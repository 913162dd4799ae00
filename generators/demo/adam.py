"""Adam with decaying weights: how the networks of the demonstration and of the examples are trained."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BATCH = 32
DECAY = 1e-2  # keeps weights small and alike, which costs four-bit weights less
MOMENTS = (0.9, 0.999)
GRID = 1 << 12  # weights are multiples of 1/4096: far finer than training repeats across machines


def adam(
    weights: Floats,
    gradient: Callable[[Floats, NDArray[np.int64]], Floats],
    samples: int,
    rng: np.random.Generator,
    *,
    epochs: int,
    rate: float,
) -> Floats:
    """``weights`` after ``epochs`` through all ``samples``, each in an order of its own.

    ``gradient`` takes the weights and the numbers of the samples of a batch; ``rate`` falls to nothing at the end.
    """
    mean, square, step = np.zeros_like(weights), np.zeros_like(weights), 0
    for epoch in range(epochs):
        now = rate * (1 - epoch / epochs)
        order = rng.permutation(samples)
        for start in range(0, samples, BATCH):
            found = gradient(weights, order[start : start + BATCH])
            step += 1
            mean = MOMENTS[0] * mean + (1 - MOMENTS[0]) * found
            square = MOMENTS[1] * square + (1 - MOMENTS[1]) * found**2
            direction = mean / (1 - MOMENTS[0] ** step) / (np.sqrt(square / (1 - MOMENTS[1] ** step)) + 1e-8)
            weights = weights - now * (direction + DECAY * weights)
    return np.round(weights * GRID) / GRID
