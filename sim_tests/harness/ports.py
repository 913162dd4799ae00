"""The outside of a design as the harness sees it: streams, constants, sampled outputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from tilewright.sim_tests.harness.cache import digest
from tilewright.sim_tests.harness.errors import InterfaceError

#: Widest beat, in bits, that a stream may have.
WIDEST_BEAT = 8192

Port = tuple[str, int]


@dataclass(frozen=True)
class StreamPort:
    """An AXI4-Stream-like group of ports.

    Attributes:
        name: how runs and messages call the stream.
        direction: ``"in"`` for a stream that the harness feeds, ``"out"`` for one that it reads.
        signals: ``(port, width)`` pairs; a beat is their concatenation, the first one least significant.
        valid: the valid port; ``None`` if every cycle carries a beat.
        ready: the ready port; ``None`` if the stream cannot be held up.
    """

    name: str
    direction: Literal["in", "out"]
    signals: tuple[Port, ...]
    valid: str | None
    ready: str | None

    @property
    def bits(self) -> int:
        """Width of a beat."""
        return sum(width for _, width in self.signals)

    @property
    def words(self) -> int:
        """32-bit words a beat takes in arrays and files."""
        return (self.bits + 31) // 32

    @property
    def ports(self) -> tuple[str, ...]:
        """All port names, payload first."""
        return (*(name for name, _ in self.signals), *(p for p in (self.valid, self.ready) if p))

    def field(self, port: str) -> tuple[int, int]:
        """Offset and width, in bits, of one signal within a beat."""
        offset = 0
        for name, width in self.signals:
            if name == port:
                return offset, width
            offset += width
        raise InterfaceError(f"stream {self.name} has no signal {port}; it has {', '.join(n for n, _ in self.signals)}")


@dataclass(frozen=True)
class Interface:
    """All ports of a design; every port must be in exactly one place.

    Attributes:
        top: name of the top module.
        clock: clock port; the rising edge counts.
        reset: synchronous reset port, ``None`` if there is none.
        streams: the streams.
        inputs: plain inputs that hold one value for a whole run (0 unless a run sets them).
        outputs: plain outputs whose value at the end of a run is reported.
        zeros: plain outputs that must be 0 before every edge outside reset.
        reset_active_low: the reset port works when it is 0, like AXI's ``aresetn``.
    """

    top: str
    streams: tuple[StreamPort, ...] = ()
    clock: str = "clk"
    reset: str | None = "rst"
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    zeros: tuple[Port, ...] = ()
    reset_active_low: bool = False

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for port in self.port_names():
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*", port):
                raise InterfaceError(f"port names must be plain Verilog identifiers, got {port!r}")
            if port in seen:
                raise InterfaceError(f"port {port} is listed twice")
            seen.add(port)
        names = [s.name for s in self.streams]
        for name in names:
            if names.count(name) > 1:
                raise InterfaceError(f"stream names must differ, got {name} twice")
        for stream in self.streams:
            if stream.direction not in ("in", "out"):
                raise InterfaceError(f"direction of stream {stream.name} must be in or out, got {stream.direction!r}")
            if not 1 <= stream.bits <= WIDEST_BEAT:
                raise InterfaceError(
                    f"a beat of stream {stream.name} must have 1..{WIDEST_BEAT} bits, got {stream.bits}"
                )
        for name, width in (*(p for s in self.streams for p in s.signals), *self.inputs, *self.outputs, *self.zeros):
            if width < 1:
                raise InterfaceError(f"port {name} must be at least 1 bit wide, got {width}")

    def port_names(self) -> list[str]:
        """Every port of the design."""
        plain = [name for name, _ in (*self.inputs, *self.outputs, *self.zeros)]
        return [self.clock, *([self.reset] if self.reset else []), *(p for s in self.streams for p in s.ports), *plain]

    def index(self, stream: str) -> int:
        """Position of a stream; refuses unknown names."""
        for position, candidate in enumerate(self.streams):
            if candidate.name == stream:
                return position
        known = ", ".join(s.name for s in self.streams)
        raise InterfaceError(f"{self.top} has no stream {stream!r}; its streams are {known}")

    @property
    def identity(self) -> int:
        """63-bit number that a run script and a compiled design must share."""
        return int(digest(asdict(self))[:15], 16)


def make_interface(top: str, streams: Sequence[StreamPort], **ports: object) -> Interface:
    """An :class:`Interface` from lists as well as tuples."""
    frozen = {key: tuple(value) if isinstance(value, (list, tuple)) else value for key, value in ports.items()}
    return Interface(top, tuple(streams), **frozen)  # type: ignore[arg-type]
