"""An engine as one object: numpy arrays in, numpy arrays out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilewright.fpga.host.addition import Addition, adding, of_the_sum
from tilewright.fpga.host.checked import one_of, switch, whole
from tilewright.fpga.host.containers import to_bytes
from tilewright.fpga.host.deferred import Deferred
from tilewright.fpga.host.device_array import DeviceArray
from tilewright.fpga.host.finishing import Ending, ending
from tilewright.fpga.host.forced import tiling_of
from tilewright.fpga.host.lookup import Lookup
from tilewright.fpga.host.network import Graph, read_onnx, run_graph
from tilewright.fpga.host.operands import (
    binary_point,
    less_zero,
    matrix_codes,
    pairs,
    stack_of,
    start_codes,
    zero_of_a,
)
from tilewright.fpga.host.pictures import picture_of
from tilewright.fpga.host.profile import Profile, profile_of
from tilewright.fpga.host.reached import Reached
from tilewright.fpga.host.selftest import selftest
from tilewright.generators.config.errors import ConfigError, unknown
from tilewright.generators.numbers import as_array
from tilewright.generators.program.plan import Objective
from tilewright.generators.program.tiling import Tiling

_HOW = (
    "c",
    "a_zero",
    "b_zero",
    "add",
    "scale",
    "zero_point",
    "activation",
    "six",
    "narrow",
    "point",
    "transpose",
    "tiling",
)


class Accelerator(Reached):
    """An engine, in simulation or on a board: `simulate`, `connect`, or a transport of one's own.

    Arrays may be of any library whose arrays export ``__array__`` or DLPack. Results are bit for bit those of the
    arithmetic contract, whatever the tiling. Use it in a ``with`` block, or `close` it.

    Attributes:
        config: the engine.
        last: the last `Run`: counters, plans, instructions; see `profile`.
        progress: whether long runs show on standard error how far they are; by default where that is a terminal.
    """

    def put(self, values: ArrayLike, operand: str) -> DeviceArray:
        """Puts a matrix into the engine's memory, to stay there: operand ``a`` or ``b`` of products to come."""
        if self.program_open:
            raise ConfigError(f"put must come before a program or after it, got {operand!r} within one")
        self.begin()
        fmt = self.config.a if one_of("operand", operand, ("a", "b")) == "a" else self.config.b
        codes = matrix_codes(operand, values, fmt)
        data = to_bytes(codes, fmt)
        address = self.memory.keep(operand, len(data))
        self.transport.write_memory(address, data)
        array = DeviceArray(address, (codes.shape[0], codes.shape[1]), fmt)
        self._kept[id(array)] = array
        return array

    def matmul(
        self,
        a: ArrayLike | DeviceArray | Deferred,
        b: ArrayLike | DeviceArray | Deferred,
        *,
        bias: ArrayLike | None = None,
        c: ArrayLike | None = None,
        a_zero: int = 0,
        b_zero: int = 0,
        scale: ArrayLike | None = None,
        zero_point: int = 0,
        activation: str | Lookup | None = None,
        six: int | None = None,
        narrow: bool = False,
        add: Addition | None = None,
        point: int | None = None,
        transpose: bool = False,
        tiling: Tiling | Objective = "cycles",
    ) -> NDArray[Any]:
        """``start + a @ b``, finished on its way to memory.

        Args:
            a: M x K numbers of format ``a``; b: K x N of format ``b``; or what `put` has put there. Of more dimensions
                the last two are those of matrices, the others go together as in numpy; all products are one run.
            bias: N values of format ``acc`` that every row starts from; c: M x N that C starts from.
            a_zero: the integer of A that stands for 0: ``(a - a_zero) @ b``; ``a_zero`` times the sums of B's columns
                is taken from the bias.
            b_zero: the same of B, of finished results; the engine takes ``b_zero`` times the sums of A's rows from C.
            scale: of integers: results are ``zero_point + C * scale``, rounded to nearest even, in the format
                ``result``; one number, or one for each column. Without it results are C itself. C beyond 33 bits
                saturates first: a scale with which that would show is refused.
            zero_point: the result that stands for 0.
            activation: ``relu``, of integers also ``relu6``, of floats those that the engine has; of integers of at
                most 8 bits any function, as a `Lookup`, where the engine has a table.
            six: the result that stands for 6.
            add: another tensor, in the shape of the result, added to it; a clamp is one of the sum.
            narrow: floats are rounded to ``result`` although there is no activation.
            point: binary point of accumulators ``fx<N>``, by default N // 2.
            transpose: the result is written, and given, as N x M.
            tiling: forces one; or what the planner's is to have the fewest of, ``cycles`` or ``bytes`` over the port.

        Returns:
            M x N: of integers int32, int64, or the type of ``result``; of floats float32.

        Raises:
            ConfigError (a ValueError): an operand that does not fit.
            RunFailed: memory, or the program, has failed.
        """
        self.begin()
        if bias is not None and c is not None:
            raise ConfigError("bias and c must not be given together; C starts from one of them, or from zero")
        place, zero = binary_point(self.config, point), zero_of_a(self.config, a_zero)
        how: dict[str, Any] = {"point": place, "accumulate": c is not None, "tiling": tiling_of(tiling)}
        how["transpose"] = turned = switch("transpose", transpose)
        self._check_kept(a=a, b=b)
        left = stack_of(self, "a", a, self.config.a)
        right = stack_of(self, "b", b, self.config.b)
        both, stack = pairs(left, right)
        (m, k), n = left[2], right[2][1]
        chosen, clamp = of_the_sum(add, activation, six)
        end = ending(self.config, n, scale, zero_point, chosen, narrow, clamp).with_zero_of_b(self.config, b_zero)
        acc, start = self.config.acc, None
        if c is not None:
            start = start_codes("c", c, (m, n), acc, place)
        elif bias is not None:
            start = start_codes("bias", bias, (1, n), acc, place)
        if zero:
            if c is not None:
                raise ConfigError(f"a_zero must be 0 where C starts from c, got {zero}; nearest legal value is 0")
            if len(right[0]) > 1:
                raise ConfigError(f"a_zero must be 0 in a stack of several b, got {zero}; nearest legal value is 0")
            if right[0]:
                start = less_zero(self.config, start, zero, self.known(b, right[0][0]), b_zero)
        shape = (*stack, n, m) if turned else (*stack, m, n)
        ends = adding(self, end, add, activation, six, shape, (m, n), transpose=turned)
        if not both or 0 in (m, n, k):
            found = self._empty((*stack, m, n), k, start, end, place)
            return np.swapaxes(found, -1, -2) if turned else found
        first = None if start is None else self.temporary("bias" if c is None else "c", start, acc)
        jobs = [self.job(x.view, y.view, e, start=first, **how) for (x, y), e in zip(both, ends, strict=True)]
        return self.results(jobs, end, place, shape)

    def linear(
        self,
        x: ArrayLike | DeviceArray | Deferred,
        weight: ArrayLike | DeviceArray,
        bias: ArrayLike | None = None,
        **how: Any,
    ) -> NDArray[Any]:
        """``x @ weight.T + bias``, the weights N x K as networks store them (what `put` has put there is K x N);
        ``how``: see `matmul`."""
        for name in how:
            if name not in _HOW:
                raise ConfigError(unknown("argument", name, _HOW))
        if isinstance(weight, DeviceArray):
            return self.matmul(x, weight, bias=bias, **how)
        weights = as_array("weight", weight)
        if weights.ndim < 2:
            raise ConfigError(f"weight must be a matrix of two dimensions, got shape {weights.shape}")
        return self.matmul(x, np.swapaxes(weights, -1, -2), bias=bias, **how)

    def conv2d(
        self,
        x: ArrayLike | Deferred,
        weight: ArrayLike,
        bias: ArrayLike | None = None,
        *,
        stride: int | tuple[int, int] = 1,
        padding: int | tuple[int, int] | tuple[tuple[int, int], tuple[int, int]] = 0,
        dilation: int | tuple[int, int] = 1,
        a_zero: int = 0,
        b_zero: int = 0,
        scale: ArrayLike | None = None,
        zero_point: int = 0,
        activation: str | Lookup | None = None,
        six: int | None = None,
        narrow: bool = False,
        add: Addition | None = None,
        pool: bool = False,
        tiling: Tiling | Objective = "cycles",
    ) -> NDArray[Any]:
        """The convolution of pictures with weights; the engine reads its matrix out of the pictures as they are.

        Args:
            x: pictures, (pictures, height, width, channels) numbers of format ``a``.
            weight: (kernel height, kernel width, channels, output channels) numbers of format ``b``.
            bias: a value of format ``acc`` for each output channel.
            stride, dilation: one number, or one for y and one for x, 1..255.
            padding: one number, one for y and one for x, or those before and after for y and for x; what lies there
                is ``a_zero``.
            add: another tensor, in the shape of the result before it is pooled.
            pool: of each 2 x 2 finished results in steps of 2 only the greatest is kept; height and width are even.
            others: see `matmul`.

        Returns:
            (pictures, output height, output width, output channels), types as in `matmul`.
        """
        self.begin()
        zero = zero_of_a(self.config, a_zero)
        how: dict[str, Any] = {"tiling": tiling_of(tiling)}
        picture = picture_of(self, x, weight, stride, padding, dilation, zero)
        k, n = picture.weight.shape
        chosen, clamp = of_the_sum(add, activation, six)
        end = ending(self.config, n, scale, zero_point, chosen, narrow, clamp).with_zero_of_b(self.config, b_zero)
        pictures, height, width = picture.shape
        shape = (pictures, height // 2, width // 2, n) if switch("pool", pool) else (*picture.shape, n)
        end = end.pooled(self.config, picture.shape) if pool else end
        acc, place = self.config.acc, binary_point(self.config, None)
        start = None if bias is None else start_codes("bias", bias, (1, n), acc, place)
        if zero:
            start = less_zero(self.config, start, zero, self.fetch(picture.weight), b_zero)
        rows = pictures * height * width
        ends = adding(self, end, add, activation, six, (*picture.shape, n), (rows, n))
        if picture.view is None:
            return self._empty(shape, k, start, end, place)
        first = None if start is None else self.temporary("bias", start, acc)
        job = self.job(picture.view, picture.weight.view, ends[0], start=first, point=place, **how)
        return self.results([job], end, place, shape)

    def run(self, network: Graph | Any, inputs: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
        """The outputs of a network, by name: a `Graph`, or an ONNX model (a file, its bytes, or a ``ModelProto``).

        Products run on the engine, all other operators in numpy, with the meaning that ONNX gives them. One that is
        not known is refused by the name of its node before anything runs. Products that follow each other with nothing
        between them that is numpy's are one `program`.
        """
        self.must_be_open()
        graph = network if isinstance(network, Graph) else read_onnx(network)
        return run_graph(self, graph, inputs)

    def selftest(self, products: int = 20, *, seed: int = 1) -> int:
        """Random products, compared bit by bit; how many results. Raises SelftestFailed for the first that is wrong."""
        return selftest(
            self, whole("products", products, 1, 1_000_000), seed=whole("seed", seed, 0, (1 << 31) - 1)
        ).results

    def profile(self) -> Profile:
        """Where the cycles of the last run went, beside what was predicted: a table, a dict, a picture (`Profile`)."""
        if self.last is None:
            raise ConfigError("profile must come after a run that has ended well; there is none")
        if not self.last.counts["cycles"]:
            raise ConfigError("profile must be of an engine; a core behind a link counts no cycles")
        return profile_of(self.config, self.last)

    def _check_kept(self, **operands: Any) -> None:
        """Raises ConfigError for what `put` of another accelerator has given."""
        for name, operand in operands.items():
            kept = (operand.base or operand) if isinstance(operand, DeviceArray) else None
            if kept is not None and self._kept.get(id(kept)) is not kept:
                raise ConfigError(f"{name} must be what put of this accelerator has given, got another one's array")

    def _empty(
        self, shape: tuple[int, ...], k: int, start: NDArray[np.int64] | None, end: Ending, point: int
    ) -> NDArray[Any]:
        """The product without products: what C starts from, or zeros."""
        if 0 not in shape and end.finish is not None:
            raise ConfigError(f"K must be at least 1 where results are finished, got {k}; nearest legal value is 1")
        codes = np.zeros(shape, dtype=np.int64)
        if start is not None and 0 not in shape:
            codes = codes + start
        return end.numbers(codes, point)
