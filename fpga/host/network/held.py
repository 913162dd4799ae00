"""Values of a graph that lie in the engine's memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tilewright.fpga.host.deferred import Deferred
from tilewright.fpga.host.network.graph import Array


@dataclass(frozen=True)
class Held:
    """The result of a product that later products may read where it lies; to all others it is an array.

    Attributes:
        lies: the engine's integers, or floats.
        dtype: the type of the array, whose integers are ``shift`` more than the engine's.
        picture: it lies (pictures, height, width, channels) and is an array (pictures, channels, height, width).
        flat: the array is a matrix, a picture a row.
    """

    lies: Deferred
    dtype: np.dtype[Any]
    shift: int = 0
    picture: bool = False
    flat: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        if not self.picture:
            return self.lies.shape
        pictures, height, width, channels = self.lies.shape
        return (pictures, channels * height * width) if self.flat else (pictures, channels, height, width)

    @property
    def ndim(self) -> int:
        """Dimensions of the array."""
        return len(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        found = finished(self.lies.numpy(), self.dtype, self.shift, self.picture).reshape(self.shape)
        return np.array(found, dtype=dtype, copy=copy)

    def reshaped(self, shape: tuple[int, ...]) -> Held | None:
        """The array in another shape where it lies; None where its values lie in another order then."""
        if shape == self.shape:
            return self
        if not self.picture:
            return replace(self, lies=self.lies.reshape(*shape))
        rows = (self.lies.shape[0], self.lies.size // max(1, self.lies.shape[0]))
        return replace(self, flat=True) if shape == rows else None

    def rows_of(self, right: Array) -> Array:
        """The matrix that this one is multiplied with, its rows in the order in which this one's columns lie."""
        if not self.flat:
            return right
        _, height, width, channels = self.lies.shape
        parted = right.reshape(channels, height, width, -1)
        return np.ascontiguousarray(parted.transpose(1, 2, 0, 3)).reshape(right.shape)


def held(found: NDArray[Any] | Deferred, dtype: DTypeLike, shift: int = 0, *, picture: bool = False) -> Array | Held:
    """What a product gives, as it lies or, where nothing was computed, as an array."""
    kind = np.dtype(dtype)
    if isinstance(found, Deferred):
        return Held(found, kind, shift, picture)
    return finished(found, kind, shift, picture)


def finished(found: NDArray[Any], kind: np.dtype[Any], shift: int, picture: bool) -> NDArray[Any]:
    """The array of what the engine has."""
    moved = found.astype(np.int64) + shift if shift else found
    moved = moved.transpose(0, 3, 1, 2) if picture else moved
    return np.ascontiguousarray(moved.astype(kind))
