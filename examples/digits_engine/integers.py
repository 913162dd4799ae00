"""The networks in integers, as an engine computes them: the reference that its results are compared with.

An activation is ``zero + real / unit`` with the lowest value of its format as ``zero``, so that clamping is the
rectifier. Weights are symmetric, with a unit for each output; those of the last layer, whose sums are compared with
each other, share one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from digits_engine.network import Layer, Network
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.reference.gemm import gemm
from tilewright.hdl.numeric import IntFormat, requantise
from tilewright.hdl.numeric.requantise import fixed_point

Array = NDArray[Any]


@dataclass(frozen=True)
class IntegerLayer:
    """A layer of integers; ``scale``: of each output, from sums to activations, None where the sums are the result."""

    layer: Layer
    scale: Array | None


@dataclass(frozen=True)
class IntegerNetwork:
    """Layers for operands ``a`` (activations) and sums ``acc``."""

    a: IntFormat
    acc: IntFormat
    layers: Sequence[IntegerLayer]

    def inputs(self, images: Array) -> Array:
        """Images of real numbers 0..1 as activations."""
        return (self.a.min + np.rint(images * (self.a.max - self.a.min))).astype(np.int64)

    def reference(self, number: int, x: Array) -> Array:
        """What layer ``number`` must give for activations ``x``."""
        layer, scale = self.layers[number].layer, self.layers[number].scale
        rows = layer.operand(x, fill=self.a.min)
        start = layer.bias - self.a.min * layer.matrix.sum(axis=0)
        sums = gemm(rows.reshape(-1, rows.shape[-1]), layer.matrix, start[None, :], self.acc, saturating=False)
        if scale is not None:
            multiplier, shift = np.array([fixed_point(float(each)) for each in scale]).T
            sums = requantise(sums, multiplier, shift, self.a.min, self.a)
        return sums.reshape(*rows.shape[:-1], -1)

    def classify(self, images: Array) -> Array:
        """The digit that each image shows."""
        x = self.inputs(images)
        for number in range(len(self.layers)):
            x = self.reference(number, x)
        best: Array = np.argmax(x, axis=-1)
        return best


def quantise(network: Network, images: Array, config: EngineConfig) -> IntegerNetwork:
    """``network`` for an engine of integers; ranges between the layers are those of the training ``images``."""
    a, b, acc = config.a, config.b, config.acc
    if not (isinstance(a, IntFormat) and isinstance(b, IntFormat) and isinstance(acc, IntFormat)):
        raise ValueError(f"the engine must be one of integers, got operands {a} and {b}")
    levels = a.max - a.min
    units = [1.0 / levels, *(float(each.max()) / levels for each in network.activations(images)[:-1])]
    layers = []
    for number, layer in enumerate(network.layers):
        last = number == len(network.layers) - 1
        largest = np.abs(layer.matrix).max() if last else np.abs(layer.matrix).max(axis=0)
        weight_unit = largest / b.max
        unit = units[number] * weight_unit * np.ones(layer.bias.shape)
        weights = np.rint(layer.weights / weight_unit).astype(np.int64)
        whole = Layer(weights, np.rint(layer.bias / unit).astype(np.int64), layer.stride)
        layers.append(IntegerLayer(whole, None if last else unit / units[number + 1]))
    return IntegerNetwork(a, acc, tuple(layers))
