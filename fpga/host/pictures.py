"""The operands of a convolution, put into an engine's memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.fpga.host.checked import plain
from tilewright.fpga.host.deferred import Deferred
from tilewright.fpga.host.device_array import DeviceArray
from tilewright.fpga.host.operands import numbers_of
from tilewright.fpga.host.product_runner import ProductRunner
from tilewright.generators.config.errors import ConfigError, must_be
from tilewright.generators.config.rules import Whole
from tilewright.generators.numbers import to_codes
from tilewright.generators.program.convolution import Convolution
from tilewright.hdl.numeric import container_bytes

Pair = tuple[int, int]
LARGEST_STEP = 255


@dataclass(frozen=True)
class Picture:
    """The im2col view of pictures in memory, the weights as a matrix, and (pictures, height, width) of the result.

    There is no view where there is nothing to compute: no picture, no channel.
    """

    view: Convolution | None
    weight: DeviceArray
    shape: tuple[int, int, int]


def picture_of(
    runner: ProductRunner,
    x: ArrayLike | Deferred,
    weight: ArrayLike,
    stride: Any,
    padding: Any,
    dilation: Any,
    fill: int,
) -> Picture:
    """Puts pictures and weights into memory until the next call. Raises ConfigError where they do not fit together."""
    config = runner.config
    # As one matrix: the parts of a stack do not lie one behind the other.
    lies = (
        x.reshape(-1, x.shape[3]).lies(runner, config.a) if isinstance(x, Deferred) and x.ndim == 4 and x.size else None
    )
    weights = numbers_of("weight", weight)
    pixels = x if isinstance(x, Deferred) and lies else numbers_of("x", x)
    for name, array, axes in (
        ("x", pixels, "pictures, height, width, channels"),
        ("weight", weights, "kernel height, kernel width, channels, output channels"),
    ):
        if array.ndim != 4:
            raise ConfigError(f"{name} must have four dimensions, {axes}, got shape {array.shape}")
    if pixels.shape[3] != weights.shape[2]:
        raise ConfigError(f"weight must have {pixels.shape[3]} channels as x has, got {weights.shape[2]}")
    for name, array, sides in (("x", pixels, pixels.shape[1:3]), ("weight", weights, weights.shape[:2])):
        if 0 in sides:
            raise ConfigError(f"{name} must have a height and a width of at least 1, got shape {array.shape}")
    if weights.shape[1] > LARGEST_STEP:
        raise ConfigError(f"weight must have a width of at most {LARGEST_STEP}, got shape {weights.shape}")
    before, after = _padding(padding)
    steps, apart = _pair("stride", stride, 1), _pair("dilation", dilation, 1)
    placed = lies[0] if lies else _placed(runner, np.asarray(pixels))
    flat = to_codes("weight", weights, config.b, 0).reshape(math.prod(weights.shape[:3]), weights.shape[3])
    try:
        view = Convolution(
            placed.address,
            pixels.shape[0],
            pixels.shape[1],
            pixels.shape[2],
            pixels.shape[3],
            kernel=(weights.shape[0], weights.shape[1]),
            value_bytes=container_bytes(config.a),
            stride=steps,
            dilation=apart,
            before=before,
            after=after,
            fill=fill & ((1 << 8 * container_bytes(config.a)) - 1),
        )
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(str(error)) from None
    shape = (pixels.shape[0], *view.out)
    matrix = runner.temporary("weight", flat, config.b)
    nothing = 0 in (*pixels.shape, *weights.shape)
    return Picture(None if nothing else view, matrix, shape)


def _placed(runner: ProductRunner, pixels: NDArray[Any]) -> DeviceArray:
    """Pictures in memory until the next call, a pixel a row."""
    fmt, shape = runner.config.a, pixels.shape
    return runner.temporary("x", to_codes("x", pixels, fmt, 0).reshape(math.prod(shape[:3]), shape[3]), fmt)


def _pair(name: str, value: Any, least: int) -> Pair:
    rule = Whole(least, LARGEST_STEP)
    value = plain(value)
    each = list(value) if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) else [value] * 2
    numbers = [rule.take(one) for one in each]
    if len(numbers) != 2 or None in numbers:
        nearest = rule.nearest(each[0] if each else None)
        raise ConfigError(must_be(name, f"{rule.text}, or two of them", value, nearest))
    return numbers[0], numbers[1]  # type: ignore[return-value] # none of them is None


def _padding(value: Any) -> tuple[Pair, Pair]:
    """(top, left), (bottom, right)."""
    value = plain(value)
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
        value = [value] * 2
    if len(value) != 2:
        raise ConfigError(must_be("padding", "one number, two, or two pairs", value, 0))
    (top, bottom), (left, right) = (_pair("padding", each, 0) for each in value)
    return (top, left), (bottom, right)
