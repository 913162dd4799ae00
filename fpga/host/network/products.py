"""Operators that are products: on the accelerator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tilewright.fpga.host.deferred import Deferred
from tilewright.fpga.host.network.graph import Array, Node
from tilewright.fpga.host.network.held import Held, held
from tilewright.fpga.host.network.plain import nothing
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.errors import ConfigError
from tilewright.hdl.numeric import Format, IntFormat

if TYPE_CHECKING:
    from tilewright.fpga.host.accelerator import Accelerator

_CONV = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")


@dataclass(frozen=True)
class ProductOperator:
    """``run`` gives the result of operands, absent ones None; ``inputs``: fewest and most of them.

    The first operand may lie in the engine's memory (`Held`), all others are arrays. Quantised operators take what
    their finish path is to do besides: ``activation="relu"``, ``pool=True``; they raise ConfigError where it cannot.

    ``weights``, of operators on integers: which inputs are B and its zero point, and the axis of B along which there
    are zero points.
    """

    run: Callable[..., Array | Held]
    inputs: tuple[int, int]
    attributes: tuple[str, ...] = ()
    check: Callable[[Node], None] = nothing
    weights: tuple[int, int, int] | None = None


def check_product(operator: ProductOperator, config: EngineConfig, operands: Sequence[Any]) -> None:
    """Raises ConfigError where what is known of the operands, None where nothing is, cannot be the engine's."""
    if operator.weights is None:
        for values in operands:
            if values is not None:
                _check_kind(config, values)
        return
    at, zero_at, axis = operator.weights
    zero = operands[zero_at] if zero_at < len(operands) else None
    if not isinstance(config.b, IntFormat):
        raise ConfigError(f"operands must be those of the engine, {config.b}, got integers")
    if operands[at] is not None and (zero is not None or zero_at >= len(operands)):
        _right(operands[at], zero, config.b, axis)


def _check_kind(config: EngineConfig, values: Array) -> None:
    whole = isinstance(config.a, IntFormat)
    if (values.dtype.kind in "iu") != whole:
        raise ConfigError(f"operands must be those of the engine, {config.a}, got {values.dtype}")


def _left(values: Array | Held, zero: Any, fmt: Format) -> tuple[Array | Deferred, int]:
    """Integers of A as the engine's, and their zero point; those of the other sign are moved by 128, which is exact."""
    if not isinstance(fmt, IntFormat):
        raise ConfigError(f"operands must be those of the engine, {fmt}, got integers")
    point = 0 if zero is None else np.asarray(zero)
    if np.size(point) != 1:
        raise ConfigError(f"the zero point of A must be one number, got shape {np.shape(point)}")
    shift = _shift(values.dtype, fmt)
    zero_point = int(np.reshape(point, ())) - shift
    if isinstance(values, Held) and values.shift == shift:
        return values.lies, zero_point
    return np.asarray(values).astype(np.int64) - shift, zero_point


def _shift(dtype: np.dtype[Any], fmt: IntFormat) -> int:
    """What is taken from every integer so that it is one of ``fmt``."""
    if dtype.kind not in "iu":
        raise ConfigError(f"operands must be integers, got {dtype}")
    if dtype == np.uint8 and fmt.signed:
        return 128
    return -128 if dtype == np.int8 and not fmt.signed else 0


def _right(values: Array, zero: Any, fmt: Format, axis: int) -> Array:
    """Integers of B with their zero point taken out, which must leave integers of the engine's format."""
    moved = np.asarray(values).astype(np.int64)
    if moved.ndim < 2 or np.asarray(values).dtype.kind not in "iu":
        raise ConfigError(f"B must be a matrix of integers, got {np.asarray(values).dtype} of shape {moved.shape}")
    if zero is not None:
        points = np.asarray(zero).astype(np.int64)
        if points.size > 1:
            if points.ndim != 1 or points.size != moved.shape[axis]:
                raise ConfigError(
                    f"the zero point of B must be one number, or one for each of {moved.shape[axis]}, "
                    f"got shape {points.shape}"
                )
            shape = [1] * moved.ndim
            shape[axis] = -1
            points = points.reshape(shape)
        moved = moved - points
    if not isinstance(fmt, IntFormat):
        raise ConfigError(f"operands must be those of the engine, {fmt}, got integers")
    if moved.size and not fmt.min <= int(moved.min()) <= int(moved.max()) <= fmt.max:
        raise ConfigError(
            f"B less its zero point must be of {fmt}, {fmt.min}..{fmt.max}, got {moved.min()}..{moved.max()}"
        )
    return moved


def _matmul(accelerator: Accelerator, node: Node, operands: Sequence[Any]) -> Array | Held:
    a, b = np.asarray(operands[0]), operands[1]
    _check_kind(accelerator.config, a)
    _check_kind(accelerator.config, b)
    return held(accelerator.matmul(a, b), np.result_type(a, b))


def _gemm_check(node: Node) -> None:
    for name in ("alpha", "beta"):
        if node.attributes.get(name, 1.0) != 1.0:
            raise ConfigError(f"{node} must have {name} 1, got {node.attributes[name]}")


def _gemm(accelerator: Accelerator, node: Node, operands: Sequence[Any]) -> Array | Held:
    a, b, c = (np.asarray(operands[0]), *operands[1:], None)[:3]
    _check_kind(accelerator.config, a)
    _check_kind(accelerator.config, b)
    for name, values in (("a", a), ("b", b)):
        if values.ndim != 2:
            raise ConfigError(f"{name} must be a matrix of two dimensions, got shape {values.shape}")
    a = a.T if node.attributes.get("transA", 0) else a
    b = b.T if node.attributes.get("transB", 0) else b
    how: dict[str, Any] = {}
    if c is not None:
        shape = (a.shape[0], b.shape[1])
        row = c.ndim < 2 or c.shape[0] == 1
        how = {"bias": np.broadcast_to(c, (1, shape[1]))} if row else {"c": np.broadcast_to(c, shape)}
    return held(accelerator.matmul(a, b, **how), a.dtype)


def _factors(accelerator: Accelerator, a: Array | Held, a_zero: Any, b: Array, b_zero: Any) -> tuple[Any, Array, int]:
    """A and B as the engine's, and the zero point of A."""
    left, point = _left(a, a_zero, accelerator.config.a)
    right = _right(b, b_zero, accelerator.config.b, -1)
    if not (isinstance(a, Held) and isinstance(left, Deferred)):
        return left, right, point
    if right.shape[-2] != a.shape[-1]:
        raise ConfigError(f"b must have as many rows as a has columns, {a.shape[-1]}, got shape {right.shape}")
    return left.reshape(*a.shape), a.rows_of(right), point


def _matmul_integer(accelerator: Accelerator, node: Node, operands: Sequence[Any]) -> Array | Held:
    a, b, a_zero, b_zero = (*operands, None, None)[:4]
    left, right, point = _factors(accelerator, a, a_zero, b, b_zero)
    return held(accelerator.matmul(left, right, a_zero=point), np.int32)


def _qlinear_matmul(accelerator: Accelerator, node: Node, operands: Sequence[Any], **riders: Any) -> Array | Held:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = operands
    left, right, point = _factors(accelerator, a, a_zero, b, b_zero)
    if np.size(a_scale) != 1 or np.size(y_scale) != 1:
        raise ConfigError(f"scales of A and Y must be one number, got shapes {a_scale.shape} and {y_scale.shape}")
    scale = a_scale * b_scale / y_scale
    how = _finish(accelerator, y_zero, scale, riders)
    return held(accelerator.matmul(left, right, a_zero=point, **how), *_kind_of(accelerator, y_zero))


def _kind_of(accelerator: Accelerator, y_zero: Array) -> tuple[np.dtype[Any], int]:
    """The type of a result with zero point ``y_zero``, and what its integers are more than the engine's."""
    dtype, out = np.asarray(y_zero).dtype, accelerator.config.result
    assert isinstance(out, IntFormat)  # the product would have been refused
    return dtype, _shift(dtype, out)


def _finish(accelerator: Accelerator, y_zero: Array, scale: Array, riders: Mapping[str, Any]) -> dict[str, Any]:
    """How a product is requantised to the integers of ``y_zero``; those of the other sign are moved by 128."""
    out, dtype = accelerator.config.result, np.asarray(y_zero).dtype
    if dtype not in (np.int8, np.uint8) or not isinstance(out, IntFormat) or out.width != 8:
        raise ConfigError(f"results must be of 8 bits as the engine's are, {out}, got {dtype}")
    shift = _shift(dtype, out)
    zero = int(np.reshape(y_zero, ())) - shift
    if "activation" in riders and zero != -shift:
        raise ConfigError(f"the zero point of Y must be that of the rectifier, 0, got {zero + shift}")
    factor = float(np.reshape(scale, ())) if np.size(scale) == 1 else np.ravel(scale).astype(np.float64)
    return {"scale": factor, "zero_point": zero, **riders}


def _conv_check(node: Node) -> None:
    given = node.attributes
    if given.get("group", 1) != 1:
        raise ConfigError(f"{node} must have group 1, got {given['group']}")
    if given.get("auto_pad", b"NOTSET") not in (b"NOTSET", "NOTSET", b"VALID", "VALID"):
        raise ConfigError(f"{node} must have auto_pad NOTSET or VALID, got {given['auto_pad']!r}")


def _pixels(x: Array | Held, zero: Any, fmt: Format) -> tuple[Array | Deferred, int]:
    """Pictures (pictures, channels, height, width) as the engine's, channels last, and their zero point."""
    if x.ndim != 4:
        raise ConfigError(f"x must have four dimensions, got shape {x.shape}")
    lies = isinstance(x, Held) and x.picture
    pixels, point = _left(x if lies else np.asarray(x), zero, fmt)
    if isinstance(pixels, Deferred):
        return pixels, point
    return np.ascontiguousarray(pixels.transpose(0, 2, 3, 1)), point


def _conv(accelerator: Accelerator, node: Node, x: Array | Deferred, weight: Array, **how: Any) -> Array:
    """A convolution of x (pictures, height, width, channels) with weights (out, channels, height, width)."""
    if weight.ndim != 4:
        raise ConfigError(f"weights must have four dimensions, got shape {weight.shape}")
    given = node.attributes
    top, left, bottom, right = given.get("pads", (0, 0, 0, 0))
    return accelerator.conv2d(
        x,
        np.ascontiguousarray(weight.transpose(2, 3, 1, 0)),
        stride=tuple(given.get("strides", (1, 1))),
        padding=((top, bottom), (left, right)),
        dilation=tuple(given.get("dilations", (1, 1))),
        **how,
    )


def _conv_integer(accelerator: Accelerator, node: Node, operands: Sequence[Any]) -> Array | Held:
    x, weight, x_zero, w_zero = (*operands, None, None)[:4]
    pixels, point = _pixels(x, x_zero, accelerator.config.a)
    moved = _right(weight, w_zero, accelerator.config.b, 0)
    return held(_conv(accelerator, node, pixels, moved, a_zero=point), np.int32, picture=True)


def _qlinear_conv(accelerator: Accelerator, node: Node, operands: Sequence[Any], **riders: Any) -> Array | Held:
    x, x_scale, x_zero, weight, w_scale, w_zero, y_scale, y_zero, bias = (*operands, None)[:9]
    pixels, point = _pixels(x, x_zero, accelerator.config.a)
    moved = _right(weight, w_zero, accelerator.config.b, 0)
    how = _finish(accelerator, y_zero, x_scale * w_scale / y_scale, riders)
    found = _conv(accelerator, node, pixels, moved, bias=bias, a_zero=point, **how)
    return held(found, *_kind_of(accelerator, y_zero), picture=True)


PRODUCTS = {
    "ConvInteger": ProductOperator(_conv_integer, (2, 4), _CONV, _conv_check, (1, 3, 0)),
    "Gemm": ProductOperator(_gemm, (2, 3), ("alpha", "beta", "transA", "transB"), _gemm_check),
    "MatMul": ProductOperator(_matmul, (2, 2)),
    "MatMulInteger": ProductOperator(_matmul_integer, (2, 4), weights=(1, 3, -1)),
    "QLinearConv": ProductOperator(_qlinear_conv, (8, 9), _CONV, _conv_check, (3, 5, 0)),
    "QLinearMatMul": ProductOperator(_qlinear_matmul, (8, 8), weights=(3, 5, -1)),
}
