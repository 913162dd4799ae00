"""The configuration of a systolic array or GEMM core."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tilewright.generators.config import derived
from tilewright.generators.config.arithmetic import (
    FLOAT_ACCUMULATOR,
    FLOAT_OPERANDS,
    WINDOWS,
    check_arithmetic,
    is_float,
)
from tilewright.generators.config.errors import ConfigError, Refusal, explain, shown
from tilewright.generators.config.rules import Choice, Identifier, NumberFormat, Whole
from tilewright.hdl.numeric import Format, IntFormat, safe_k

MAX_MACS = 65_536  # multipliers of the largest array: 256 x 256
MAX_WORDS = 65_536  # words of the deepest scratchpad: addresses in commands have 16 bits
TARGETS = ("generic", "ecp5", "ice40")  # those of the hardware, which is not loaded for a look at a configuration

Size = Annotated[int, Whole(1, 256)]
Extent = Annotated[int, Whole(1, 65_535)]
Words = Annotated[int | None, Whole(1, MAX_WORDS)]
Operand = Annotated[Format, NumberFormat(2, 16, floats=FLOAT_OPERANDS)]
Accumulator = Annotated[Format, NumberFormat(8, 64, signed_only=True, floats=(FLOAT_ACCUMULATOR,), windows=WINDOWS)]


class _Worded(type(BaseModel)):  # type: ignore[misc] # the class that makes models is not public
    """Makes models whose construction raises ConfigError, in words, where pydantic's own error would list fields.

    A validator could not: pydantic takes every ValueError of one, and ConfigError is one, for an entry of its list.
    """

    def __call__(cls, *args: Any, **fields: Any) -> Any:
        try:
            return super().__call__(*args, **fields)
        except ValidationError as error:
            raise explain(error, cls, fields) from None


class SystolicConfig(BaseModel, metaclass=_Worded):
    """A systolic array (``product`` = "array") or GEMM core (``"core"``) of ``rows`` x ``cols`` processing elements.

    Immutable and checked as a whole on construction, which raises ConfigError, a sentence for each field that is wrong.
    ``systolic_config`` does the same with fields in a mapping. pydantic's ways to make and change models
    (``model_validate`` and the like) raise its ValidationError.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=False, title="Tilewright systolic core")

    product: Annotated[Literal["core", "array"], Choice(("core", "array"))] = Field(
        "core", description="what is generated: the bare array, or the core with scratchpads and sequencer"
    )
    module_name: Annotated[str, Identifier()] = Field(
        "tilewright_gemm", description="name of the top module; every module's name starts with it"
    )
    rows: Size = Field(16, description="processing elements in a column")
    cols: Size = Field(16, description="processing elements in a row")
    dataflow: Annotated[Literal["ws", "os", "is", "any"], Choice(("ws", "os", "is", "any"))] = Field(
        "ws", description="operand that stays in the array: weights (ws), outputs (os), inputs (is); any: by command"
    )
    a: Operand = Field(
        IntFormat(8), description="format of the left matrix; a float makes the other one the same, if none is told"
    )
    b: Operand = Field(IntFormat(8), description="format of the right matrix; likewise")
    acc: Accumulator = Field(
        IntFormat(32), description="format of the accumulators and of the result; fp32 for floats, if none is told"
    )
    overflow: Annotated[Literal["wrap", "saturate"] | None, Choice(("wrap", "saturate"))] = Field(
        None, description="what an accumulator does beyond its range; by default one that max_k can overflow is refused"
    )
    pipeline: Annotated[int, Whole(0, 3)] = Field(
        1, description="registers between the operand register and the accumulating add"
    )
    add_latency: Annotated[int, Whole(1, 6)] = Field(
        1, description="cycles of the accumulating add of fp32: with more of them the clock may be faster"
    )
    vector: Annotated[Literal[1, 2, 4, 8, 16], Choice((1, 2, 4, 8, 16))] = Field(
        1, description="elements of the dot product that each processing element forms in a cycle"
    )
    in_flight: Annotated[Literal[1, 2, 4], Choice((1, 2, 4))] = Field(
        4,
        description="commands that are taken before the first of them is answered: fewer are smaller, and slower; with "
        "1, only for ws, transfers and commands are done one at a time, in the least logic",
    )
    target: Annotated[Literal["generic", "ecp5", "ice40"], Choice(TARGETS)] = Field(
        "generic",
        description="device whose cells elements of integers multiply and add with; generic: synthesis chooses",
    )
    max_m: Extent = Field(256, description="rows of the largest A and C that the scratchpads hold; 255 if cols is 1")
    max_n: Extent = Field(256, description="columns of the largest B and C that the scratchpads hold")
    max_k: Extent = Field(256, description="columns of the largest A and rows of the largest B; longest sum")
    a_words: Words = Field(None, description="words per bank of the A scratchpad, instead of what max_* need")
    b_words: Words = Field(None, description="words per bank of the B scratchpad, instead of what max_* need")
    c_words: Words = Field(
        None, description="words per bank and region of the C scratchpad, instead of what max_* need"
    )
    memory_limit_bits: Annotated[int, Whole(1, 1 << 40, "bits")] = Field(
        1 << 30, description="most bits that the scratchpads may have together"
    )

    @property
    def in_turn(self) -> bool:
        """Whether commands and transfers are done one at a time."""
        return self.in_flight == 1

    @property
    def saturates(self) -> bool:
        """Whether integer accumulators clamp at every step; otherwise they wrap."""
        return self.overflow == "saturate"

    @property
    def seeded(self) -> bool:
        """Whether sums start from C at the top of the array, as a chain over k does, and not at its foot."""
        return self.saturates or not isinstance(self.acc, IntFormat)

    @property
    def integers(self) -> tuple[IntFormat, IntFormat, IntFormat] | None:
        """Formats of A, B and C where all are integers."""
        if isinstance(self.a, IntFormat) and isinstance(self.b, IntFormat) and isinstance(self.acc, IntFormat):
            return self.a, self.b, self.acc
        return None

    @property
    def safe_k(self) -> int | None:
        """Longest K whose sums, started from zero, stay in the accumulator whatever the operands; None of floats."""
        return safe_k(*self.integers) if self.integers else None

    @property
    def scratchpads(self) -> derived.Scratchpads:
        """Geometry of the memories of the core."""
        return derived.scratchpads(
            dataflow=self.dataflow,
            rows=self.rows,
            cols=self.cols,
            vector=self.vector,
            a=self.a,
            b=self.b,
            acc=self.acc,
            max_m=self.max_m,
            max_n=self.max_n,
            max_k=self.max_k,
            a_words=self.a_words,
            b_words=self.b_words,
            c_words=self.c_words,
        )

    @model_validator(mode="before")
    @classmethod
    def _leave_room_for_a_bias_row(cls, values: Any) -> Any:
        """In a single column the default C alone would fill the deepest scratchpad."""
        if isinstance(values, dict) and isinstance(values.get("cols"), Integral) and "max_n" not in values:
            return {"max_m": 255, **values} if values["cols"] == 1 else values
        return values

    @model_validator(mode="before")
    @classmethod
    def _follow_a_float(cls, values: Any) -> Any:
        """Of a float operand alone the other one, and the accumulators, follow."""
        if not isinstance(values, dict):
            return values
        floats = [values[name] for name in ("a", "b") if is_float(values.get(name))]
        return {"a": floats[0], "b": floats[0], "acc": FLOAT_ACCUMULATOR, **values} if floats else values

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        self._check_macs()
        check_arithmetic(self)
        self._check_turns()
        if self.product != "array":
            self._check_memories()
        return self

    def _check_turns(self) -> None:
        if self.in_turn and self.dataflow != "ws":
            raise Refusal("in_flight", f"be 2 or 4 where dataflow is {self.dataflow}, got 1", 2)

    def _check_macs(self) -> None:
        macs = self.rows * self.cols * self.vector
        if macs > MAX_MACS:
            fits = MAX_MACS // (self.rows * self.cols)
            nearest = 1 << (fits.bit_length() - 1)
            raise Refusal(
                "vector",
                f"keep rows x cols x vector within {MAX_MACS}, got {self.vector}, which makes {macs}",
                nearest,
            )

    def _check_memories(self) -> None:
        pads = self.scratchpads
        self._check_depth("A", pads.a, ("max_m", 1), ("max_k", self.vector), spare=0)
        self._check_depth("B", pads.b, ("max_k", self.vector), ("max_n", 1), spare=0)
        self._check_depth("C with a bias row", pads.c, ("max_m", 1), ("max_n", 1), spare=1)
        if pads.bits > self.memory_limit_bits:
            raise Refusal(
                "memory_limit_bits",
                f"cover the scratchpads, which take {pads.bits} bits, got {self.memory_limit_bits}",
                pads.bits,
            )

    def _check_depth(
        self, held: str, pad: derived.Scratchpad, height: tuple[str, int], width: tuple[str, int], *, spare: int
    ) -> None:
        """Refuses a depth beyond the address; ``height`` and ``width`` are (field, its units an element)."""
        if pad.words <= MAX_WORDS:
            return
        rows = -(-getattr(self, height[0]) // height[1]) + spare
        fits = MAX_WORDS // (pad.words // rows) - spare
        field, nearest = height[0], fits * height[1]
        if fits < 1:  # the rows are too long for even one
            field, nearest = width[0], MAX_WORDS // rows * pad.lanes * width[1]
        raise Refusal(
            field,
            f"keep {held} within {MAX_WORDS} words of {pad.lanes} elements, got {getattr(self, field)}, "
            f"which takes {pad.words}",
            nearest,
        )


def systolic_config(values: Mapping[str, Any]) -> SystolicConfig:
    """The configuration that ``values`` describe. Raises ConfigError, a sentence for each field that is wrong.

    Integers may be of any library, numpy's for example.
    """
    if not isinstance(values, Mapping):
        raise ConfigError(
            f"fields must be a mapping of names to values, got {shown(values)}; nearest legal value is {{}}"
        )
    try:
        return SystolicConfig.model_validate(dict(values))
    except ValidationError as error:
        raise explain(error, SystolicConfig, values) from None
