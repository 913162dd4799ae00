"""The configuration of a GEMM engine: a core, its ports to memory, and how it finishes results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, model_validator

from tilewright.generators.config.arithmetic import FLOAT_ACCUMULATOR, FLOAT_OPERANDS, is_float
from tilewright.generators.config.errors import ConfigError, Refusal, explain, shown
from tilewright.generators.config.rules import Choice, Flag, Identifier, NumberFormat, Whole
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.hdl.numeric import Format, IntFormat, code_format
from tilewright.hdl.numeric.requantise import LARGEST_SHIFT, MULTIPLIER_BITS

BUS_BITS = (32, 64, 128, 256, 512)  # those of the hardware, which is not loaded for a look at a configuration
DATA_PORTS = ("axi4", "axi4-stream")
LARGEST_TABLE_BITS = 8
FUNCTIONS = ("sigmoid", "tanh", "silu", "gelu")

Result = Annotated[Format, NumberFormat(2, 16, floats=(*FLOAT_OPERANDS, FLOAT_ACCUMULATOR))]
Outstanding = Literal[2, 4, 8, 16, 32, 64]
Switch = Annotated[bool, Flag()]


class EngineConfig(SystolicConfig):  # type: ignore[metaclass] # that of models is not public
    """An engine: the core that the fields of `SystolicConfig` describe, between AXI4 ports or AXI4-Stream ports.

    Immutable and checked as a whole on construction, as `SystolicConfig` is; ``engine_config`` takes a mapping.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=False, title="Tilewright engine")

    product: Annotated[Literal["engine"], Choice(("engine",))] = Field("engine", description="what is generated")  # type: ignore[assignment]
    in_flight: Annotated[Literal[4], Choice((4,))] = Field(
        4, description="commands that the core takes before the first of them is answered"
    )
    module_name: Annotated[str, Identifier()] = Field(
        "tilewright_engine", description="name of the top module; every module's name starts with it"
    )
    data_ports: Annotated[Literal["axi4", "axi4-stream"], Choice(DATA_PORTS)] = Field(
        "axi4",
        description="how program and matrices come and go: through a memory port, or in packets from your own DMA",
    )
    bus_bits: Annotated[Literal[32, 64, 128, 256, 512], Choice(BUS_BITS)] = Field(
        128, description="data width of the AXI4 port, or of each AXI4-Stream port"
    )
    address_bits: Annotated[int, Whole(12, 64)] = Field(
        40, description="address width of the AXI4 port; of axi4-stream: of the memory that programs speak of"
    )
    max_burst: Annotated[int, Whole(1, 256, "beats")] = Field(32, description="longest burst")
    outstanding: Annotated[Outstanding, Choice((2, 4, 8, 16, 32, 64))] = Field(
        32, description="bursts of a kind that have been asked for and not been answered, at most"
    )
    cores: Annotated[int, Whole(1, 16, "cores")] = Field(
        1, description="cores behind one program, each with scratchpads, sequencers and a memory port of its own"
    )
    result: Result = Field(
        IntFormat(8), description="format of finished results; raw ones, in that of acc, can always be stored"
    )
    channels: Annotated[int, Whole(0, 65_535)] = Field(
        0, description="output channels that can have a multiplier and shift of their own; 0: those of the tensor"
    )
    row_sums: Annotated[int, Whole(0, 65_535)] = Field(
        0, description="rows of A whose sums are kept, so that B may have a zero point; 0: it has none"
    )
    adds: Switch = Field(False, description="whether another tensor can be added to finished integers")
    pool_words: Annotated[int, Whole(0, 65_536)] = Field(
        0, description="words that 2 x 2 max-pooling keeps, half the width of a picture times words a pixel; 0: none"
    )
    transposer: Annotated[int, Whole(0, 4096)] = Field(
        0, description="columns of a matrix in memory whose transpose a load of A or B takes at full speed; 0: none"
    )
    table: Switch = Field(
        False, description="whether finished integers of at most 8 bits may be looked up in a table: any function of C"
    )
    sigmoid: Switch = Field(False, description="whether finished floats may be sigmoid(C)")
    tanh: Switch = Field(False, description="whether finished floats may be tanh(C)")
    silu: Switch = Field(False, description="whether finished floats may be silu(C)")
    gelu: Switch = Field(False, description="whether finished floats may be gelu(C)")

    @property
    def streams(self) -> bool:
        """Whether its data ports are AXI4-Stream."""
        return self.data_ports == "axi4-stream"

    @property
    def functions(self) -> tuple[str, ...]:
        """The activations that were chosen."""
        return tuple(name for name in FUNCTIONS if getattr(self, name))

    @property
    def longest_burst(self) -> int:
        """Bytes of the longest burst."""
        return self.max_burst * self.bus_bits // 8

    @property
    def memory_bytes(self) -> int:
        """On-chip buffers of all cores: scratchpads, both regions of C, channels, tables (one a lane), transposers."""
        lanes = self.scratchpads.c.lanes
        channel_bits = -(-self.channels // lanes) * lanes * (MULTIPLIER_BITS + LARGEST_SHIFT.bit_length())
        result = self.result.width if isinstance(self.result, IntFormat) else 0
        table_bits = lanes * result << result if self.table else 0
        return self.cores * -(-(self.scratchpads.bits + channel_bits + table_bits + self._turned_bits) // 8)

    @property
    def _turned_bits(self) -> int:
        """Bits of both halves of the transposers of A and B."""
        pads, total = self.scratchpads, 0
        for values, fmt in ((pads.a.lanes * self.vector, self.a), (pads.b.lanes, self.b)):
            words = -(-self.transposer // values)
            total += 2 * (1 << (words - 1).bit_length()) * values * values * code_format(fmt).width if words else 0
        return total

    @model_validator(mode="before")
    @classmethod
    def _result_of_floats(cls, values: Any) -> Any:
        """Results of floats are floats, by default those of A."""
        if isinstance(values, dict) and "result" not in values:
            floats = [values[name] for name in ("a", "b") if is_float(values.get(name))]
            return {**values, "result": floats[0]} if floats else values
        return values

    @model_validator(mode="after")
    def _check_finish(self) -> Self:
        if isinstance(self.acc, IntFormat) != isinstance(self.result, IntFormat):
            kind, nearest = ("an integer", "int8") if isinstance(self.acc, IntFormat) else ("a float", str(self.a))
            raise Refusal("result", f"be {kind} format for accumulators {self.acc}, got {self.result}", nearest)
        if self.channels and not isinstance(self.acc, IntFormat):
            raise Refusal("channels", f"be 0 for accumulators {self.acc}, got {self.channels}", 0)
        for name, none in (("row_sums", 0), ("adds", False), ("table", False)):
            if getattr(self, name) and not isinstance(self.acc, IntFormat):
                must, got = str(none).lower(), str(getattr(self, name)).lower()
                raise Refusal(name, f"be {must} for accumulators {self.acc}, got {got}", none)
        if self.table and isinstance(self.result, IntFormat) and self.result.width > LARGEST_TABLE_BITS:
            raise Refusal("table", f"be false for results of more than 8 bits, got {self.result}", False)
        if self.functions and isinstance(self.acc, IntFormat):
            raise Refusal(self.functions[0], f"be false for accumulators {self.acc}, got true", False)
        return self

    @model_validator(mode="after")
    def _check_ports(self) -> Self:
        if self.streams and self.cores > 1:
            raise Refusal("cores", f"be 1 for data_ports {self.data_ports}, got {self.cores}", 1)
        return self


def engine_config(values: Mapping[str, Any]) -> EngineConfig:
    """The configuration that ``values`` describe. Raises ConfigError, a sentence for each field that is wrong."""
    if not isinstance(values, Mapping):
        raise ConfigError(
            f"fields must be a mapping of names to values, got {shown(values)}; nearest legal value is {{}}"
        )
    try:
        return EngineConfig.model_validate(dict(values))
    except ValidationError as error:
        raise explain(error, EngineConfig, values) from None
