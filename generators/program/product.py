"""What a program computes: one matrix product with its operands, start values and result in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.tensor import View
from tilewright.generators.program.transposed import Transposed, block_unit
from tilewright.hdl.numeric import Format, IntFormat, container_bytes


@dataclass(frozen=True)
class Added:
    """A matrix that is added to results, in their format, and the factors of the sum: fields of FINISH."""

    view: View
    fields: Mapping[str, int]


@dataclass(frozen=True)
class Finish:
    """How accumulators become results, see the FINISH record.

    Integers: ``clamp(zero_point + round((acc - b_zero * row sum of A) * multiplier * 2**-shift), low, high)``, ties to
    even. Where ``channels`` is the address of a table (`ChannelWords`), multiplier and shift are those of the column.
    Where ``table`` is the address of a table of all values of results, in the order of their bits, each result becomes
    the entry that it is the code of. Then another matrix may be ``added``. Floats: ``activation``, then one rounding to
    the format of results. Where ``pool_width`` is not 0, rows are the pixels of lines of that width, of which the
    greatest of each 2 x 2 is stored.
    """

    multiplier: int = 0
    shift: int = 0
    zero_point: int = 0
    low: int = 0
    high: int = 0
    activation: int = 0
    channels: int | None = None
    b_zero: int = 0
    added: Added | None = None
    pool_width: int = 0
    table: int | None = None

    def check(self, result: Format) -> None:
        """Raises ValueError where a field is none that the engine can hold."""
        limits = {"multiplier": (0, (1 << 31) - 1), "shift": (0, 62)}
        if isinstance(result, IntFormat):
            limits |= dict.fromkeys(("zero_point", "low", "high"), (result.min, result.max))
        for name, (least, most) in limits.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} of a finish to {result} must be {least}..{most}, got {getattr(self, name)}")


@dataclass(frozen=True)
class Product:
    """``C = start + A B``, A of M x K, B of K x N.

    Args:
        a, b, c: where the matrices lie; ``c`` in the format of results where there is a ``finish``, else in that of
            accumulators.
        start: a bias row of 1 x N, or an old C of M x N (``accumulate``), in accumulators' containers; None for zero.
        accumulate: ``start`` is an old C; it may be ``c`` itself.
        finish: how accumulators become results; None stores them as they are.
        point: binary point of accumulators that are windows.
    """

    a: View
    b: View
    c: View
    start: View | None = None
    accumulate: bool = False
    finish: Finish | None = None
    point: int = 0

    def __post_init__(self) -> None:
        pooled = self.finish is not None and self.finish.pool_width > 0
        wanted = [("b has rows", self.b.rows, self.k), ("c has rows", self.c.rows, self.m // 4 if pooled else self.m)]
        wanted.append(("c has columns", self.c.cols, self.n))
        if self.start is not None:
            wanted.append(("start has rows", self.start.rows, self.m if self.accumulate else 1))
            wanted.append(("start has columns", self.start.cols, self.n))
        for what, have, want in wanted:
            if have != want:
                raise ValueError(f"matrices must fit together: {what} {have}, must be {want}")
        if min(self.m, self.n, self.k) < 1:
            raise ValueError(f"M, N and K must be at least 1, got {self.m}, {self.n}, {self.k}")

    @property
    def m(self) -> int:
        """Rows of A and C."""
        return self.a.rows

    @property
    def n(self) -> int:
        """Columns of B and C."""
        return self.b.cols

    @property
    def k(self) -> int:
        """Columns of A, rows of B."""
        return self.a.cols

    def _check_blocks(self, config: EngineConfig) -> None:
        """Raises ValueError for blocks that the transposer cannot turn, or not to where they belong."""
        operands: tuple[tuple[Literal["a", "b"], View], ...] = (("a", self.a), ("b", self.b))
        for name, view in operands:
            if not isinstance(view, Transposed) or not view.block:
                continue
            if view.block > config.transposer:
                raise ValueError(f"{name} must be turned in blocks of at most {config.transposer}, got {view.block}")
            unit = block_unit(name, config)
            if view.block % unit:
                raise ValueError(f"{name} must be turned in blocks of a multiple of {unit}, got {view.block}")

    @property
    def has_bias(self) -> bool:
        """Whether C starts from a bias row."""
        return self.start is not None and not self.accumulate

    def check(self, config: EngineConfig) -> None:
        """Raises ValueError unless the values' containers are those of ``config``."""
        result = config.result if self.finish is not None else config.acc
        if result is None:
            raise ValueError("an engine without a result format must store raw accumulators, got a finish")
        if self.finish is not None:
            self.finish.check(result)
        formats = [("a", self.a, config.a), ("b", self.b, config.b), ("c", self.c, result)]
        if self.start is not None:
            formats.append(("start", self.start, config.acc))
        if self.finish is not None and self.finish.added is not None:
            formats.append(("added", self.finish.added.view, result))
        self._check_blocks(config)
        for name, view, fmt in formats:
            if view.value_bytes != container_bytes(fmt):
                raise ValueError(
                    f"{name} must have values of {container_bytes(fmt)} bytes ({fmt}), got {view.value_bytes}"
                )
