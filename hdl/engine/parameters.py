"""Parameters of an engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from amaranth.utils import ceil_log2, exact_log2

from tilewright.hdl.engine.channel_memory import CONTAINER
from tilewright.hdl.engine.finish_parameters import FinishParameters
from tilewright.hdl.engine.port import ValuePort
from tilewright.hdl.engine.records import CORES
from tilewright.hdl.engine.result_table import LOADED
from tilewright.hdl.numeric import Format, IntFormat, code_format, container_bytes
from tilewright.hdl.systolic.parameters import CoreParameters

BUS_BITS = (32, 64, 128, 256, 512)
_LIMITS = (("address_bits", 12, 64), ("max_burst", 1, 256), ("outstanding", 2, 64), ("cores", 1, CORES))


@dataclass(frozen=True)
class EngineParameters:
    """Everything that distinguishes one engine from another.

    Parameters
    ----------
    core: CoreParameters
    bus_bits: int
        Width of the memory port: 32, 64, 128, 256 or 512.
    address_bits: int
        Of memory, 12..64.
    max_burst: int
        Beats of the longest burst, 1..256.
    outstanding: int
        Bursts of a kind that are under way, at most: a power of two, 2..64.
    result: Format or None
        Format of finished results: integers of integers, floats of floats; None where only raw ones are stored.
    channels: int
        Output channels whose multipliers and shifts fit into the channel memory, of integers; 0: there is none.
    functions: tuple of str
        Activations of floats beside none and relu: any of sigmoid, tanh, silu, gelu.
    row_sums: int
        Rows of A whose sums are kept, of integers: as many as need them at once; 0: B has no zero point.
    adds: bool
        Whether another tensor can be added to finished integers.
    pool_words: int
        Words of results that max-pooling keeps: half a line of a picture, times words a pixel; 0: no pooling.
    streams: bool
        Whether program and matrices come and go in packets of AXI4-Stream; no address leaves the engine then.
    table: bool
        Whether finished integers, of at most 8 bits, can be looked up in a table.
    transposer: int
        Columns of a matrix in memory that a load of A or B can turn, its rows being values of a beat; 0: none can.
    queue_depth: int
        Instructions of a sequencer that wait, a power of two.
    cores: int
        Cores behind one program, 1..16, each with scratchpads, sequencers and a memory port of its own.
    """

    core: CoreParameters
    bus_bits: int
    address_bits: int
    max_burst: int
    outstanding: int
    result: Format | None
    channels: int = 0
    functions: tuple[str, ...] = ()
    row_sums: int = 0
    adds: bool = False
    pool_words: int = 0
    streams: bool = False
    table: bool = False
    transposer: int = 0
    queue_depth: int = 8
    cores: int = 1

    def __post_init__(self) -> None:
        if self.bus_bits not in BUS_BITS:
            raise ValueError(f"bus_bits must be one of {', '.join(map(str, BUS_BITS))}, got {self.bus_bits}")
        for name, low, high in _LIMITS:
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} must be {low}..{high}, got {getattr(self, name)}")
        if self.outstanding & (self.outstanding - 1):
            raise ValueError(f"outstanding must be a power of two, got {self.outstanding}")
        if self.streams and self.cores > 1:
            raise ValueError(f"cores must be 1 with streams, got {self.cores}")

    @cached_property
    def targets(self) -> tuple[ValuePort, ...]:
        """Where loads go, in the order of `Target`: the core's load ports, and those of the finish that there are."""
        a, b, c = self.core.a_memory, self.core.b_memory, self.core.c_memory
        found = [
            ValuePort("a", a.lanes * a.slots, a.width, container_bytes(self.core.a)),
            ValuePort("b", b.lanes, b.width, container_bytes(self.core.b)),
            ValuePort("c", c.lanes, c.width, container_bytes(self.core.acc)),
        ]
        if self.channels:
            found.append(ValuePort("channels", self.channel_lanes, CONTAINER.size, CONTAINER.size // 8))
        if self.adds and self.result is not None:
            found.append(replace(self.sources[1], name="residual"))
        if self.table and self.result is not None:
            found.append(replace(self.sources[1], name="table", values=LOADED))
        return tuple(found)

    @property
    def fetch_depth(self) -> int:
        """Instructions that are fetched ahead: with more cores more, as each takes its own out of one list."""
        return self.queue_depth << ceil_log2(self.cores)

    @property
    def memory_ports(self) -> tuple[str, ...]:
        """Names of the memory ports, one for each core; with ``streams`` there are none."""
        if self.streams:
            return ()
        return ("m_axi",) if self.cores == 1 else tuple(f"m_axi_{core}" for core in range(self.cores))

    @property
    def sum_width(self) -> int:
        """Bits of a sum of a row of A, of 65,535 columns at most."""
        return self.core.a.width + 16

    @property
    def channel_lanes(self) -> int:
        """Channels that a beat of the bus brings, or fewer, so that they divide the lanes of a word."""
        most = max(1, self.bus_bits // CONTAINER.size)
        return max(lanes for lanes in range(1, most + 1) if self.core.c_memory.lanes % lanes == 0)

    @cached_property
    def finish(self) -> FinishParameters | None:
        """The way from accumulators to results."""
        if self.result is None:
            return None
        lanes = self.core.c_memory.lanes
        return FinishParameters(
            lanes,
            self.core.acc,
            self.result,
            functions=self.functions,
            channels=self.channels,
            zero=self.core.b if self.row_sums and isinstance(self.core.b, IntFormat) else None,
            sum_rows=self.row_sums,
            sum_width=self.sum_width,
        )

    @cached_property
    def sources(self) -> tuple[ValuePort, ...]:
        """Where stores come from, by their ``target``: 0 as the core gives them, 1 finished."""
        c = self.core.c_memory
        signed = isinstance(self.core.acc, IntFormat)
        found = [ValuePort("raw", c.lanes, c.width, container_bytes(self.core.acc), signed)]
        if self.result is not None:
            width = code_format(self.result).width
            signed = isinstance(self.result, IntFormat) and self.result.signed
            found.append(ValuePort("finished", c.lanes, width, container_bytes(self.result), signed))
        return tuple(found)

    @property
    def elements(self) -> dict[str, int]:
        """Log2 of the bytes of a value in memory, of each target."""
        return {target.name: exact_log2(target.container) for target in self.targets}
