"""Integer networks on an engine, layer by layer, every result compared with the reference."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from digits_engine.integers import IntegerNetwork
from digits_engine.network import PADDING
from tilewright.fpga.host.accelerator import Accelerator

Array = NDArray[Any]


@dataclass(frozen=True)
class LayerRun:
    """One layer on the engine: MACs, cycles from start bit to interrupt, results compared, and those that differ."""

    name: str
    macs: int
    cycles: int
    values: int
    differing: int
    seconds: float


def classify(accelerator: Accelerator, network: IntegerNetwork, images: Array) -> tuple[Array, list[LayerRun]]:
    """(the digit that each of ``images`` shows, a run for each layer). Each layer takes what the one before gave."""
    x = network.inputs(images)
    runs = []
    for number in range(len(network.layers)):
        begun = time.monotonic()
        found = run_layer(accelerator, network, number, x)
        seconds = time.monotonic() - begun
        expected = network.reference(number, x)
        last = accelerator.last
        assert last is not None
        kind = "convolution" if network.layers[number].layer.is_convolution else "dense"
        runs.append(
            LayerRun(
                f"layer {number + 1}, {kind}",
                last.macs,
                last.counts["cycles"],
                found.size,
                found.size if found.shape != expected.shape else int(np.count_nonzero(found != expected)),
                seconds,
            )
        )
        x = found.astype(np.int64)
    return np.argmax(x, axis=-1), runs


def in_one_start(accelerator: Accelerator, network: IntegerNetwork, images: Array) -> LayerRun:
    """All layers as one program: each one reads what the one before has left in memory."""
    x = network.inputs(images)
    begun, found = time.monotonic(), []
    with accelerator.program() as program:
        for number in range(len(network.layers)):
            found.append(run_layer(accelerator, network, number, found[-1] if found else x))
    (run,) = program.runs
    seconds, values, differing = time.monotonic() - begun, 0, 0
    for number, results in enumerate(found):
        expected = network.reference(number, x)
        x = np.asarray(results)
        values += x.size
        differing += int(np.count_nonzero(x != expected))
    return LayerRun("all, one start", run.macs, run.counts["cycles"], values, differing, seconds)


def run_layer(accelerator: Accelerator, network: IntegerNetwork, number: int, x: Array) -> Array:
    """What the engine makes of activations ``x``: bias, products, scaling and rectifier."""
    layer, scale = network.layers[number].layer, network.layers[number].scale
    zero = network.a.min
    how: dict[str, Any] = {"bias": layer.bias, "a_zero": zero}
    if scale is not None:
        how |= {"scale": scale, "zero_point": zero, "activation": "relu"}
    if layer.is_convolution:
        return accelerator.conv2d(x, layer.weights, stride=layer.stride, padding=PADDING, **how)
    return accelerator.matmul(layer.operand(x), layer.weights, **how)
