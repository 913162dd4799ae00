"""The demonstration network in the numbers of a core, whatever their kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.demo.digits import Digits
from tilewright.generators.demo.narrow import narrow
from tilewright.generators.demo.network import Network
from tilewright.generators.demo.quantise import quantise
from tilewright.hdl.numeric import FP32, FloatFormat

Codes = NDArray[np.int64]


class CodedLayer(Protocol):
    """What a core is given of a layer."""

    @property
    def weights(self) -> Codes:
        """K x N codes of the core's format ``b``."""

    @property
    def bias(self) -> Codes:
        """1 x N codes of its accumulators."""


class CodedNetwork(Protocol):
    """Two layers in codes, with the reference of what the hardware computes and what is computed outside of it."""

    @property
    def layers(self) -> Sequence[CodedLayer]:
        """Both of them."""

    def inputs(self, images: NDArray[np.int64]) -> Codes:
        """Pixels as operands of the first layer."""

    def accumulators(self, layer: int, operands: Codes) -> Codes:
        """What the hardware must compute."""

    def activate(self, accumulators: Codes) -> Codes:
        """Operands of the second layer from accumulators of the first."""

    def choose(self, accumulators: Codes) -> NDArray[np.int64]:
        """The digit that each row of accumulators of the second layer stands for."""

    def classify(self, images: NDArray[np.int64]) -> NDArray[np.int64]:
        """The digit that each image shows."""


def coded(network: Network, training: Digits, config: SystolicConfig) -> CodedNetwork:
    """``network`` for the core ``config``. Raises ValueError for one whose accumulators could overflow, or windows."""
    if config.integers is not None:
        return quantise(network, training, *config.integers)
    if config.acc != FP32:
        raise ValueError(f"acc must be an integer format or fp32 for the demonstration, got {config.acc}")
    assert isinstance(config.a, FloatFormat) and isinstance(config.b, FloatFormat)
    return narrow(network, training, config.a, config.b)
