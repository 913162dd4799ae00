"""The network in narrow floats: products and biases as the hardware computes them in fp32, ReLU and narrowing between.

Each tensor is multiplied by a power of two, exactly, so that its largest magnitude lies in [128, 256): within every
format, and far from where it ends below. ReLU commutes with that, and so does the choice of the largest output.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.demo.digits import BRIGHTEST, Digits
from tilewright.generators.demo.network import Floats, Network
from tilewright.hdl.numeric import FP32, FloatFormat, decode, encode, float_chain

Codes = NDArray[np.int64]

_BINADE = 8  # all magnitudes of a tensor are below 2**_BINADE


@dataclass(frozen=True)
class FloatLayer:
    """Codes of ``weights`` (K x N) and of the ``bias`` (1 x N, fp32)."""

    weights: Codes
    bias: Codes


@dataclass(frozen=True)
class FloatNetwork:
    """A network for a core with operands ``a`` (activations) and ``b`` (weights), sums in fp32; everything in codes.

    ``places``: accumulators of the first layer times ``2**places`` are activations of the second.
    """

    a: FloatFormat
    b: FloatFormat
    layers: tuple[FloatLayer, FloatLayer]
    places: int

    def inputs(self, images: NDArray[np.int64]) -> Codes:
        """Pixels as operands of the first layer."""
        return encode(images / BRIGHTEST, self.a).astype(np.int64)

    def accumulators(self, layer: int, operands: Codes) -> Codes:
        """What the hardware must compute: products and bias of ``layer``, a rounded chain over k ascending."""
        weights, bias = self.layers[layer].weights, self.layers[layer].bias
        return float_chain(operands, weights, (self.a, self.b), bias).astype(np.int64)

    def activate(self, accumulators: Codes) -> Codes:
        """Operands of the second layer from accumulators of the first: ReLU, and one rounding to format ``a``."""
        real = np.maximum(decode(accumulators, FP32), 0) * 2.0**self.places
        return encode(real, self.a, "saturate").astype(np.int64)

    def choose(self, accumulators: Codes) -> NDArray[np.int64]:
        """The digit that each row of accumulators of the second layer stands for."""
        best: NDArray[np.int64] = np.argmax(decode(accumulators, FP32), axis=1)
        return best

    def classify(self, images: NDArray[np.int64]) -> NDArray[np.int64]:
        """The digit that each image shows."""
        hidden = self.activate(self.accumulators(0, self.inputs(images)))
        return self.choose(self.accumulators(1, hidden))


def narrow(network: Network, training: Digits, a: FloatFormat, b: FloatFormat) -> FloatNetwork:
    """``network`` in floats of ``a`` and ``b``; the range between the layers is that of the ``training`` images."""
    first, second = _places(network.w1), _places(network.w2)
    hidden = _places(network.hidden(training.images))
    return FloatNetwork(
        a,
        b,
        (_layer(network.w1, network.b1, first, 0, b), _layer(network.w2, network.b2, second, hidden, b)),
        hidden - first,
    )


def _places(values: Floats) -> int:
    """How often ``values`` are to be doubled."""
    return _BINADE - int(np.frexp(np.abs(values).max())[1])


def _layer(weights: Floats, bias: Floats, places: int, scaled: int, b: FloatFormat) -> FloatLayer:
    """A layer whose activations are doubled ``scaled`` times, and whose weights ``places`` times."""
    start = encode(bias * 2.0 ** (places + scaled), FP32)
    return FloatLayer(encode(weights * 2.0**places, b).astype(np.int64), start.astype(np.int64)[None, :])
