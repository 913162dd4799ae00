"""The DMA that the compiled driver plays between a session's memory and the AXI4-Stream ports of its design."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.harness.axis_ports import ROLES
from tilewright.sim_tests.harness.errors import InterfaceError
from tilewright.sim_tests.harness.stall import Stall, as_stall


@dataclass(frozen=True)
class Part:
    """``size`` bytes of memory from ``address`` on; or, where that is None, values ``value`` of ``width`` bytes."""

    address: int | None
    size: int
    width: int = 1
    value: int = 0

    def __str__(self) -> str:
        if self.address is None:
            return f"f {self.size} {self.width} {self.value}"
        return f"m {self.address} {self.size}"


@dataclass(frozen=True)
class DmaSettings:
    """How the DMA behaves; it always keeps the rules of AXI4-Stream.

    It reads up to 16 packets of a stream ahead, a beat a cycle. What carries no data is noise.

    Attributes:
        latency: cycles from when a packet may be read to its first beat, and from the last beat of one that comes to
            when it is in memory.
        hold: begins no packet for ``s_axis_load``.
        stalls: for `ROLES` a :class:`Stall` or a probability.
        packets: whether rules of whole packets are watched, on all streams.
        seed: distinguishes draws within one session seed.
    """

    latency: int = 1
    hold: bool = False
    stalls: Mapping[str, Stall | float] = field(default_factory=dict)
    packets: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if self.latency < 1:
            raise InterfaceError(f"latency of the DMA must be at least 1 cycle, got {self.latency}; nearest is 1")
        for name in self.stalls:
            if name not in ROLES:
                raise InterfaceError(f"stalls of the DMA are for {', '.join(ROLES)}, got {name!r}")

    def command(self, session_seed: int, *, begin: bool) -> str:
        """The driver's command."""
        words = [int(begin), int(self.packets), self.latency, int(self.hold), (session_seed << 32) + self.seed % 2**32]
        for index, name in enumerate(ROLES):
            words += struct.unpack("<6Q", as_stall(self.stalls.get(name)).packed(session_seed, 8 + index))
        return " ".join(["dma", *map(str, words)])


class AxisDma:
    """Packets of a session; see `DmaSettings`."""

    def __init__(self, session: AxiSession, settings: DmaSettings | None = None) -> None:
        self.session = session
        self.configure(settings or DmaSettings())

    def configure(self, settings: DmaSettings) -> None:
        """Let the DMA behave otherwise from now on; draws begin anew."""
        self._settings = settings
        self.session.act(settings.command(self.session.seed, begin=False))

    def begin(self) -> None:
        """A run begins: packets that come are counted from 0 on for ``after``."""
        self.session.act(self._settings.command(self.session.seed, begin=True))

    def add(self, stream: str, parts: Sequence[Part], *, after: int = 0, longer: int = 0, hole: int = -1) -> None:
        """Puts a packet behind those of ``stream`` that wait; one of ``m_axis_store`` tells where it goes.

        Args:
            stream: of `ROLES`.
            parts: the bytes.
            after: packets that must have come since `begin`, and be in memory, before it is read.
            longer: bytes that are sent too much or, negative, too few.
            hole: a beat whose lowest byte is not kept; -1: none.
        """
        words = " ".join(map(str, parts))
        self.session.act(f"packet {ROLES.index(stream)} {after} {longer} {hole} {words}")

    def forget(self) -> None:
        """Drops all packets, also what is left of one that has begun, but for a beat that is offered."""
        self.session.act("forget")

    def counters(self) -> dict[str, int]:
        """Packets and beats so far.

        ``<s>_done``, ``<s>_beats``, ``<s>_waiting`` for ``program``, ``load``, ``store``; ``arriving``: packets that
        have come and are not in memory yet; ``surplus``: packets that nobody waited for.
        """
        words = self.session.act("packets")
        return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}

    def settle(self) -> None:
        """Lets cycles pass until all that has come is in memory."""
        while self.counters()["arriving"]:
            self.session.run(1)
