"""The network in integers: products and biases as the hardware computes them, requantisation between the layers.

Activations are ``q = zero_point + real / scale`` with the lowest value of their format as zero point, so that clamping
is the rectifier; the zero point is folded into the bias of the layer that reads them. Weights are symmetric.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.demo.digits import BRIGHTEST, Digits
from tilewright.generators.demo.network import Floats, Network
from tilewright.generators.reference.gemm import gemm
from tilewright.hdl.numeric import IntFormat, fixed_point, requantise, saturate

Integers = NDArray[np.int64]

_CLIPPINGS = np.linspace(0.4, 1.0, 61)


@dataclass(frozen=True)
class Layer:
    """``weights`` (K x N), ``bias`` (1 x N, in units of the accumulators) and what one such unit is worth."""

    weights: Integers
    bias: Integers
    unit: Floats


@dataclass(frozen=True)
class IntegerNetwork:
    """A network for a core with operands ``a`` (activations) and ``b`` (weights) and accumulators ``acc``.

    ``multiplier`` and ``shift`` requantise the first layer's accumulators, for each hidden unit.
    """

    a: IntFormat
    acc: IntFormat
    layers: tuple[Layer, Layer]
    multiplier: Integers
    shift: Integers

    def inputs(self, images: Integers) -> Integers:
        """Pixels as operands of the first layer."""
        return _activations(images / BRIGHTEST, 1.0, self.a)

    def accumulators(self, layer: int, operands: Integers) -> Integers:
        """What the hardware must compute: products and bias of ``layer``."""
        weights, bias = self.layers[layer].weights, self.layers[layer].bias
        return gemm(operands, weights, bias, self.acc, saturating=False)

    def activate(self, accumulators: Integers) -> Integers:
        """Operands of the second layer from accumulators of the first."""
        return requantise(accumulators, self.multiplier, self.shift, self.a.min, self.a)

    def choose(self, accumulators: Integers) -> Integers:
        """The digit that each row of accumulators of the second layer stands for."""
        best: Integers = np.argmax(accumulators, axis=1)
        return best

    def classify(self, images: Integers) -> Integers:
        """The digit that each image shows."""
        hidden = self.activate(self.accumulators(0, self.inputs(images)))
        return self.choose(self.accumulators(1, hidden))


def quantise(network: Network, training: Digits, a: IntFormat, b: IntFormat, acc: IntFormat) -> IntegerNetwork:
    """``network`` in integers; the range between the layers is that of the ``training`` images.

    Raises ValueError where an accumulator could overflow.
    """
    levels = a.max - a.min
    largest = _clipping(network.hidden(training.images), levels)
    first = _layer(network.w1, network.b1, 1.0 / levels, _scales(network.w1, b, axis=0), a, b, acc)
    # One scale for all classes: their accumulators can be compared as they are.
    second = _layer(network.w2, network.b2, largest / levels, _scales(network.w2, b, axis=None), a, b, acc)
    multiplier, shift = np.array([fixed_point(unit * levels / largest) for unit in first.unit], dtype=np.int64).T
    return IntegerNetwork(a, acc, (first, second), multiplier, shift)


def _activations(real: Floats, largest: float, a: IntFormat) -> Integers:
    return saturate(a.min + np.rint(real / largest * (a.max - a.min)), a)


def _layer(
    weights: Floats, bias: Floats, scale: float, scales: Floats, a: IntFormat, b: IntFormat, acc: IntFormat
) -> Layer:
    whole = np.clip(np.rint(weights / scales), -b.max, b.max).astype(np.int64)
    unit = scale * scales * np.ones(weights.shape[1])
    start = np.rint(bias / unit).astype(np.int64) - a.min * whole.sum(axis=0)
    reach = np.abs(start) + np.abs(whole).sum(axis=0) * -a.min
    if reach.max() > acc.max:
        raise ValueError(f"acc must hold sums of up to {reach.max()}, got {acc}")
    return Layer(whole, start[None, :], unit)


def _scales(weights: Floats, b: IntFormat, axis: int | None) -> Floats:
    """Real value of one unit of the weights: for each output (``axis`` 0) or for all."""
    columns = weights.T if axis == 0 else [weights]
    return np.array([_clipping(column, b.max, signed=True) / b.max for column in columns])


def _clipping(values: Floats, levels: int, *, signed: bool = False) -> float:
    """The largest value to represent, beyond which all are clipped, that loses least with ``levels`` steps."""
    top = float(np.abs(values).max())

    def loss(clipping: float) -> float:
        step = clipping * top / levels
        return float(np.square(np.clip(np.rint(values / step), -levels * signed, levels) * step - values).sum())

    return top * float(min(_CLIPPINGS, key=loss))
