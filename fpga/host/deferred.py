"""Results of products in a program that may not have run yet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from tilewright.fpga.host.device_array import DeviceArray
from tilewright.fpga.host.finishing import Ending
from tilewright.hdl.numeric import Format, container_bytes

if TYPE_CHECKING:
    from tilewright.fpga.host.product_runner import ProductRunner
    from tilewright.fpga.host.program import Program


@dataclass(eq=False)
class Result:
    """Where the results of a product, or of a stack of them, lie, row by row; and their values, once they were fetched.

    ``state``: it waits for its run, lies in memory, was fetched, or is lost, because the run has failed.
    """

    arrays: Sequence[DeviceArray]
    end: Ending
    point: int
    shape: tuple[int, ...]
    state: Literal["waits", "lies", "fetched", "lost"] = "waits"
    values: NDArray[Any] | None = None

    def fetch(self, runner: ProductRunner) -> NDArray[Any]:
        """The values."""
        found = [self.end.numbers(runner.fetch(array), self.point) for array in self.arrays]
        self.values, self.state = np.stack(found).reshape(self.shape), "fetched"
        return self.values


class Deferred(NDArrayOperatorsMixin):
    """The result of a product in a program: an array, whose values are there once the program has run.

    It may be an operand of later products of the same program, which then read it where it lies. Whoever asks for
    its values before, by ``numpy.asarray(...)``, arithmetic, an index or a method of arrays other than ``reshape``, has
    what is there of the program run at once.

    Attributes:
        shape, ndim, size, dtype: those of the array.
    """

    def __init__(self, program: Program, result: Result, shape: tuple[int, ...]) -> None:
        self._program, self._result = program, result
        self.shape, self.ndim, self.size = shape, len(shape), math.prod(shape)
        self.dtype = result.end.dtype

    def __repr__(self) -> str:
        return f"Deferred({self.dtype}, {self.shape})"

    def __str__(self) -> str:
        return str(self._result.values.reshape(self.shape)) if self._result.values is not None else repr(self)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        return self.numpy()[index]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"a Deferred has no attribute {name!r}")
        return getattr(self.numpy(), name)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **how: Any) -> Any:
        given = [each.numpy() if isinstance(each, Deferred) else each for each in inputs]
        return getattr(ufunc, method)(*given, **how)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def numpy(self) -> NDArray[Any]:
        """The values. Raises ConfigError where they are lost, RunFailed."""
        self._program.values(self._result)
        assert self._result.values is not None
        return self._result.values.reshape(self.shape)

    def reshape(self, *shape: int) -> Deferred:
        """The same values in the same order, of another shape; nothing is moved. One size may be -1."""
        like = np.broadcast_to(np.zeros((), np.int8), self.shape)
        return Deferred(self._program, self._result, like.reshape(shape).shape)

    def lies(self, runner: ProductRunner, fmt: Format) -> list[DeviceArray] | None:
        """The matrices of the last two dimensions where they lie, ready for ``runner``'s next products.

        None where they do not: they are not of ``fmt``, their program has ended or is another's, or they lie in
        several pieces.
        """
        result = self._result
        if not self._program.is_open_on(runner) or result.end.format != fmt or result.state in ("fetched", "lost"):
            return None
        if self.shape == result.shape and len(result.arrays) > 1:
            return list(result.arrays)
        if len(result.arrays) > 1 or self.ndim < 2:
            return None
        matrix = (self.shape[-2], self.shape[-1])
        step = matrix[0] * matrix[1] * container_bytes(fmt)
        first = result.arrays[0].address
        return [DeviceArray(first + at * step, matrix, fmt) for at in range(math.prod(self.shape[:-2]))]
