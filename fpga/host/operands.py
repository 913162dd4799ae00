"""A user's matrices as operands in an engine's memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.fpga.host.checked import left_out, whole
from tilewright.fpga.host.deferred import Deferred
from tilewright.fpga.host.device_array import DeviceArray
from tilewright.fpga.host.product_runner import ProductRunner
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.numbers import as_array, to_codes
from tilewright.hdl.numeric import Format, FxFormat, IntFormat, wrap

Integers = NDArray[np.int64]


def numbers_of(name: str, values: ArrayLike | Deferred) -> NDArray[Any]:
    """An operand as a numpy array; that of a program that has not run is run for it."""
    return as_array(name, values.numpy() if isinstance(values, Deferred) else values)


def matrix_codes(name: str, values: ArrayLike, fmt: Format, point: int = 0) -> Integers:
    """A matrix as codes of ``fmt``."""
    array = numbers_of(name, values)
    if array.ndim != 2:
        raise ConfigError(f"{name} must be a matrix of two dimensions, got shape {array.shape}")
    return to_codes(name, array, fmt, point)


def start_codes(name: str, values: ArrayLike, shape: tuple[int, int], fmt: Format, point: int) -> Integers:
    """What C starts from: M x N, or one row."""
    array = numbers_of(name, values)
    if array.ndim == 1 and shape[0] == 1:
        array = array[None, :]
    if array.shape != shape:
        raise ConfigError(f"{name} must have shape {shape}, got {array.shape}; nearest legal shape is {shape}")
    return to_codes(name, array, fmt, point)


def zero_of_a(config: EngineConfig, value: Any) -> int:
    """The zero point of A."""
    if not isinstance(config.a, IntFormat):
        left_out("a_zero", value, 0, f"for operands of {config.a}")
        return 0
    return whole("a_zero", value, config.a.min, config.a.max)


def less_zero(config: EngineConfig, bias: Integers | None, a_zero: int, b: Integers, b_zero: int = 0) -> Integers:
    """The bias row (1 x N) that takes the zero point of A out of the sums; that of B comes out of them in the engine.

    Accumulators that wrap give the exact result modulo their range, so the row may wrap, too; those that saturate
    must hold it.
    """
    row = (0 if bias is None else bias) - a_zero * (b.sum(axis=0, keepdims=True) - len(b) * b_zero)
    assert isinstance(config.acc, IntFormat)
    if not config.saturates:
        return wrap(row, config.acc)
    return to_codes("bias less a_zero times the sums of the columns of b", row, config.acc, 0)


def binary_point(config: EngineConfig, point: Any) -> int:
    """The binary point of windows."""
    acc = config.acc
    if not isinstance(acc, FxFormat):
        left_out("point", point, None, f"for accumulators {acc}")
        return 0
    return acc.width // 2 if point is None else whole("point", point, -512, 512)


def stack_of(
    runner: ProductRunner, name: str, values: ArrayLike | DeviceArray | Deferred, fmt: Format
) -> tuple[list[DeviceArray], tuple[int, ...], tuple[int, int]]:
    """Matrices in memory, the shape of their stack, and their own."""
    if isinstance(values, DeviceArray):
        if values.format != fmt:
            raise ConfigError(f"{name} must be of format {fmt}, got one of {values.format} in memory")
        return [values], (), values.shape
    if isinstance(values, Deferred) and values.ndim >= 2:
        matrices = values.lies(runner, fmt)
        if matrices is not None:
            return matrices, values.shape[:-2], (values.shape[-2], values.shape[-1])
    array = numbers_of(name, values)
    if array.ndim < 2:
        raise ConfigError(f"{name} must be a matrix of two dimensions, got shape {array.shape}")
    *stack, rows, cols = array.shape
    flat = to_codes(name, array, fmt, 0).reshape(math.prod(stack), rows, cols)
    return [runner.temporary(name, matrix, fmt) for matrix in flat], tuple(stack), (rows, cols)


def pairs(
    left: tuple[Sequence[DeviceArray], tuple[int, ...], tuple[int, int]],
    right: tuple[Sequence[DeviceArray], tuple[int, ...], tuple[int, int]],
) -> tuple[list[tuple[DeviceArray, DeviceArray]], tuple[int, ...]]:
    """The matrices of two stacks, pair by pair as numpy has them, and the shape of the stack of products."""
    if left[2][1] != right[2][0]:
        nearest = (left[2][1], right[2][1])
        raise ConfigError(
            f"b must have as many rows as a has columns, {left[2][1]}, got shape {right[2]}; "
            f"nearest legal shape is {nearest}"
        )
    try:
        stack = np.broadcast_shapes(left[1], right[1])
    except ValueError:
        raise ConfigError(
            f"a and b must have stacks of matrices that go together, got {left[1]} and {right[1]}; "
            f"nearest legal stack of b is {left[1]}"
        ) from None
    found = []
    for matrices, shape, _ in (left, right):
        index = np.broadcast_to(np.arange(len(matrices)).reshape(shape), stack).ravel()
        found.append([matrices[int(at)] for at in index])
    return list(zip(*found, strict=True)), stack
