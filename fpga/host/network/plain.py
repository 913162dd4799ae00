"""Operators that are no products: numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilewright.fpga.host.network.graph import Array, Node
from tilewright.generators.config.errors import ConfigError


def nothing(node: Node) -> None:
    """No more to check."""


@dataclass(frozen=True)
class Plain:
    """``run`` gives the result of operands, absent ones None; ``inputs``: fewest and most of them."""

    run: Callable[[Node, Sequence[Any]], Array]
    inputs: tuple[int, int]
    attributes: tuple[str, ...] = ()
    check: Callable[[Node], None] = nothing


def _along(values: Array | None, axis: int, like: Array) -> Any:
    """Scales or zero points, one for all or one for each place of ``axis``, to go with ``like``."""
    if values is None:
        return 0
    if values.ndim == 0 or values.size == 1:
        return values.reshape(())
    shape = [1] * like.ndim
    shape[axis] = -1
    return values.reshape(shape)


def _quantize(node: Node, operands: Sequence[Any]) -> Array:
    x, scale, zero = (*operands, None)[:3]
    axis = node.attributes.get("axis", 1)
    dtype = np.dtype(np.uint8) if zero is None else zero.dtype
    if dtype not in (np.int8, np.uint8):
        raise ConfigError(f"zero point must be of int8 or uint8, got {dtype}")
    rounded = np.rint(x / _along(scale, axis, x)).astype(np.float64)
    if np.isnan(rounded).any():
        raise ConfigError("x must hold numbers, got NaN")
    limits = np.iinfo(dtype)
    # Nothing beyond 2**20 comes back into the range of 8 bits; infinities have no integer.
    whole = np.clip(rounded, -(2.0**20), 2.0**20).astype(np.int64) + np.int64(1) * _along(zero, axis, x)
    return np.asarray(np.clip(whole, limits.min, limits.max)).astype(dtype)


def _dequantize(node: Node, operands: Sequence[Any]) -> Array:
    x, scale, zero = (*operands, None)[:3]
    axis = node.attributes.get("axis", 1)
    if x.dtype.kind not in "iu":
        raise ConfigError(f"x must hold integers, got {x.dtype}")
    whole = x.astype(np.int64) - np.int64(1) * _along(zero, axis, x)
    # float16 has too few bits for integers of 32; it is rounded to at the end.
    return np.asarray(whole.astype(np.float32) * _along(scale, axis, x)).astype(np.asarray(scale).dtype)


def _pool_check(node: Node) -> None:
    if len(node.attributes.get("kernel_shape", ())) != 2:
        raise ConfigError(f"{node} must have a kernel of two dimensions, got {node.attributes.get('kernel_shape')}")
    if node.attributes.get("auto_pad", b"NOTSET") not in (b"NOTSET", "NOTSET"):
        raise ConfigError(f"{node} must have auto_pad NOTSET, got {node.attributes['auto_pad']!r}")
    if node.attributes.get("storage_order", 0):
        raise ConfigError(f"{node} must have storage_order 0, got {node.attributes['storage_order']}")


def _max_pool(node: Node, operands: Sequence[Any]) -> Array:
    (x,) = operands
    if x.ndim != 4:
        raise ConfigError(f"x must have four dimensions, got shape {x.shape}")
    given = node.attributes
    kernel, steps = given["kernel_shape"], given.get("strides", (1, 1))
    apart, pads = given.get("dilations", (1, 1)), given.get("pads", (0, 0, 0, 0))
    least = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
    room = [(0, 0), (0, 0)]
    sizes = []
    for axis in range(2):
        reach = apart[axis] * (kernel[axis] - 1) + 1
        free = x.shape[2 + axis] + pads[axis] + pads[2 + axis] - reach
        size = (-(-free // steps[axis]) if given.get("ceil_mode", 0) else free // steps[axis]) + 1
        if given.get("ceil_mode", 0) and (size - 1) * steps[axis] >= x.shape[2 + axis] + pads[axis]:
            size -= 1  # a window that would begin behind the picture
        sizes.append(size)
        more = max(0, (size - 1) * steps[axis] + reach - x.shape[2 + axis] - pads[axis])
        room.append((pads[axis], max(more, pads[2 + axis])))
    padded = np.pad(x, room, constant_values=least)
    found = None
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            top, left = i * apart[0], j * apart[1]
            rows = slice(top, top + (sizes[0] - 1) * steps[0] + 1, steps[0])
            columns = slice(left, left + (sizes[1] - 1) * steps[1] + 1, steps[1])
            window = padded[:, :, rows, columns]
            found = window if found is None else np.maximum(found, window)
    assert found is not None
    return np.ascontiguousarray(found)


def _reshape(node: Node, operands: Sequence[Any]) -> Array:
    x, shape = operands
    sizes = [int(size) for size in shape]
    if not node.attributes.get("allowzero", 0):
        sizes = [x.shape[axis] if size == 0 else size for axis, size in enumerate(sizes)]
    try:
        return np.asarray(x).reshape(sizes)
    except ValueError:
        raise ConfigError(f"shape must have {x.size} elements, got {tuple(sizes)}") from None


def _flatten(node: Node, operands: Sequence[Any]) -> Array:
    (x,) = operands
    axis = node.attributes.get("axis", 1)
    if not -x.ndim <= axis <= x.ndim:
        raise ConfigError(f"axis must be one of x, {-x.ndim}..{x.ndim}, got {axis}")
    return np.asarray(x).reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


def _add(node: Node, operands: Sequence[Any]) -> Array:
    x, y = operands
    if x.dtype != y.dtype:
        raise ConfigError(f"addends must be of one type, got {x.dtype} and {y.dtype}")
    return np.asarray(x + y)


def _transpose(node: Node, operands: Sequence[Any]) -> Array:
    (x,) = operands
    return np.ascontiguousarray(x.transpose(node.attributes.get("perm")))


PLAIN = {
    "Add": Plain(_add, (2, 2)),
    "DequantizeLinear": Plain(_dequantize, (2, 3), ("axis",)),
    "Flatten": Plain(_flatten, (1, 1), ("axis",)),
    "MaxPool": Plain(
        _max_pool,
        (1, 1),
        ("kernel_shape", "strides", "pads", "dilations", "ceil_mode", "auto_pad", "storage_order"),
        _pool_check,
    ),
    "QuantizeLinear": Plain(_quantize, (2, 3), ("axis",)),
    "Relu": Plain(lambda _, operands: np.maximum(operands[0], np.zeros((), operands[0].dtype)), (1, 1)),
    "Reshape": Plain(_reshape, (2, 2), ("allowzero",)),
    "Transpose": Plain(_transpose, (1, 1), ("perm",)),
}
