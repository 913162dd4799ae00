"""How the memory behind an AXI manager port behaves."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tilewright.generators.config.rules import Whole
from tilewright.sim_tests.harness.axi_ports import CHANNELS
from tilewright.sim_tests.harness.errors import InterfaceError
from tilewright.sim_tests.harness.stall import Stall, as_stall

#: Orders in which AW and W are accepted, and AXI-Lite writes offered, in the driver's count.
ORDERS = ("any", "aw first", "w first")
#: Responses by number.
RESPONSES = ("OKAY", "EXOKAY", "SLVERR", "DECERR")

_CYCLES = Whole(0, 2**31 - 1, "cycles")


@dataclass(frozen=True)
class ErrorRange:
    """``bytes`` bytes from ``address`` on answer ``SLVERR`` or ``DECERR``; they are neither read nor written."""

    address: int
    bytes: int
    response: str = "SLVERR"


@dataclass(frozen=True)
class AxiMemory:
    """Behaviour of the memory; it answers in order, a beat a cycle, and always keeps the rules of AXI.

    A write is stored when its response is offered, so whoever reads earlier finds old bytes. What carries no data (idle
    channels, unused lanes, erroneous beats) is noise. Addresses outside the memory answer DECERR.

    Attributes:
        latency: cycles from the edge that accepts AR to the first edge at which R can be accepted, at least 1.
        jitter: up to so many cycles more, drawn for each burst.
        write_latency: cycles from the edge that accepts the last of AW and W to B; ``None``: as ``latency``.
        write_jitter: likewise; ``None``: as ``jitter``.
        outstanding: bursts that are accepted and not yet answered, reads and writes each.
        order: ``"any"``; ``"aw first"``: W is accepted after the AW of its burst only; ``"w first"``: AW is accepted
            after the first W of its burst only.
        stalls: for channels ``"ar"``, ``"r"``, ``"aw"``, ``"w"``, ``"b"`` a :class:`Stall` or a probability.
        hold_reads: offers no R; accepts as many AR as it may. Beats that are offered already stay.
        hold_writes: offers no B.
        errors: places that answer with an error.
        seed: distinguishes draws within one session seed.
    """

    latency: int = 1
    jitter: int = 0
    write_latency: int | None = None
    write_jitter: int | None = None
    outstanding: int = 16
    order: str = "any"
    stalls: Mapping[str, Stall | float] = field(default_factory=dict)
    hold_reads: bool = False
    hold_writes: bool = False
    errors: Sequence[ErrorRange] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (
            ("latency", 1),
            ("jitter", 0),
            ("write_latency", 1),
            ("write_jitter", 0),
            ("outstanding", 1),
        ):
            value = getattr(self, name)
            if value is None and name.startswith("write"):
                continue
            number = _CYCLES.take(value)
            if number is None or number < least:
                raise InterfaceError(
                    f"{name} of the memory must be {least}..{_CYCLES.high}, got {value!r}; nearest is {least}"
                )
        if self.order not in ORDERS:
            raise InterfaceError(f"order of the memory must be one of {ORDERS}, got {self.order!r}; nearest is 'any'")
        for channel in self.stalls:
            if channel not in CHANNELS:
                raise InterfaceError(f"stalls of the memory are for {CHANNELS}, got {channel!r}")
            if channel in ("r", "b") and as_stall(self.stalls[channel]).wait_for_valid:
                raise InterfaceError(f"wait_for_valid is for ar, aw, w, got it for {channel}")
        for error in self.errors:
            if error.response not in RESPONSES[2:] or error.bytes < 1 or error.address < 0:
                raise InterfaceError(f"an error range has an address, 1 byte or more, SLVERR or DECERR, got {error}")

    def command(self, session_seed: int, port: int = 0) -> str:
        """The driver's command for the manager port of a number; each draws by itself."""
        write_latency = self.latency if self.write_latency is None else self.write_latency
        write_jitter = self.jitter if self.write_jitter is None else self.write_jitter
        words = [self.latency, self.jitter, write_latency, write_jitter, self.outstanding, ORDERS.index(self.order)]
        words += [int(self.hold_reads), int(self.hold_writes), (session_seed << 32) + (self.seed + port) % 2**32]
        for index, channel in enumerate(CHANNELS):
            draws = index + port * len(CHANNELS)
            words += struct.unpack("<6Q", as_stall(self.stalls.get(channel)).packed(session_seed, draws))
        for error in self.errors:
            words += [error.address, error.address + error.bytes - 1, RESPONSES.index(error.response)]
        return " ".join(["configure", str(port), *map(str, words)])
