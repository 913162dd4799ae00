"""AXI ports of a design: their streams under the usual names, and what the compiled driver is told about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilewright.sim_tests.harness.errors import InterfaceError
from tilewright.sim_tests.harness.ports import StreamPort

#: Channels in the order in which the driver counts them.
CHANNELS = ("aw", "w", "b", "ar", "r")
#: Signals that the driver knows; others, like ``qos``, are let be.
ROLES = ("addr", "len", "size", "burst", "lock", "cache", "prot", "id", "data", "strb", "last", "resp")
_ADDRESS = (("len", 8), ("size", 3), ("burst", 2), ("cache", 4), ("prot", 3))
#: Bus widths, in bits, that the driver handles.
WIDTHS = (8, 16, 32, 64, 128, 256, 512)


def axi_ports(prefix: str = "m_axi", *, address_bits: int, data_bits: int) -> tuple[StreamPort, ...]:
    """Streams of an AXI4 manager port without IDs: ``<prefix>_ar``, ``_r``, ``_aw``, ``_w``, ``_b``.

    Its ports are ``<prefix>_araddr``, ``arlen``, ``arsize``, ``arburst``, ``arcache``, ``arprot``; ``rdata``,
    ``rresp``, ``rlast``; the same as of ``ar`` of ``aw``; ``wdata``, ``wstrb``, ``wlast``; ``bresp``; valid and ready
    of each channel.

    Args:
        prefix: beginning of all names.
        address_bits: width of an address, at most 64.
        data_bits: width of the bus, see :data:`WIDTHS`.
    """
    address = (("addr", address_bits), *_ADDRESS)
    return _streams(prefix, True, address, data_bits, (("last", 1),))


def axi_lite_ports(prefix: str = "s_axi", *, address_bits: int, data_bits: int = 32) -> tuple[StreamPort, ...]:
    """Streams of an AXI4-Lite subordinate port: ``awaddr``, ``awprot``, ``wdata``, ``wstrb``, ``bresp``, ``araddr``,
    ``arprot``, ``rdata``, ``rresp``, and valid and ready of each channel."""
    return _streams(prefix, False, (("addr", address_bits), ("prot", 3)), data_bits, ())


def _streams(
    prefix: str, manager: bool, address: Sequence[tuple[str, int]], data_bits: int, last: Sequence[tuple[str, int]]
) -> tuple[StreamPort, ...]:
    if data_bits not in WIDTHS:
        nearest = min(WIDTHS, key=lambda width: abs(width - data_bits))
        raise InterfaceError(f"data_bits must be one of {WIDTHS}, got {data_bits}; nearest is {nearest}")
    if not 1 <= address[0][1] <= 64:
        raise InterfaceError(f"address_bits must be 1..64, got {address[0][1]}; nearest is 32")
    signals = {
        "ar": address,
        "r": (("data", data_bits), ("resp", 2), *last),
        "aw": address,
        "w": (("data", data_bits), ("strb", data_bits // 8), *last),
        "b": (("resp", 2),),
    }
    return tuple(
        StreamPort(
            f"{prefix}_{kind}",
            "out" if manager == (kind in ("ar", "aw", "w")) else "in",
            tuple((f"{prefix}_{kind}{role}", width) for role, width in signals[kind]),
            f"{prefix}_{kind}valid",
            f"{prefix}_{kind}ready",
        )
        for kind in ("ar", "r", "aw", "w", "b")
    )


@dataclass(frozen=True)
class AxiPort:
    """The five channels of a port among the streams of a design.

    Attributes:
        name: beginning of the names of its streams.
        lite: it is an AXI4-Lite subordinate; else an AXI4 manager.
        channels: for each of :data:`CHANNELS` the index of the stream and the stream.
    """

    name: str
    lite: bool
    channels: dict[str, tuple[int, StreamPort]]

    @staticmethod
    def find(streams: Sequence[StreamPort], name: str, *, lite: bool) -> AxiPort:
        """The port whose channels are the streams ``<name>_ar`` and so on.

        Raises InterfaceError where a channel is missing, has the wrong direction, or lacks a signal.
        """
        known = {stream.name: (index, stream) for index, stream in enumerate(streams)}
        missing = [f"{name}_{kind}" for kind in CHANNELS if f"{name}_{kind}" not in known]
        if missing:
            raise InterfaceError(f"port {name} has no stream {missing[0]}; streams are {', '.join(known) or 'none'}")
        port = AxiPort(name, lite, {kind: known[f"{name}_{kind}"] for kind in CHANNELS})
        for kind, (_, stream) in port.channels.items():
            outward = lite != (kind in ("ar", "aw", "w"))
            if stream.direction != ("out" if outward else "in") or not stream.valid or not stream.ready:
                side = "an AXI4-Lite subordinate" if lite else "an AXI4 manager"
                raise InterfaceError(f"stream {stream.name} must be an {'out' if outward else 'in'}put with valid and "
                                     f"ready: {name} is {side}")  # fmt: skip
            port.check(kind)
        return port

    @property
    def data_bits(self) -> int:
        """Width of the bus."""
        return dict((role, width) for role, _, width in self.fields("w"))["data"]

    def fields(self, kind: str) -> Iterator[tuple[str, int, int]]:
        """Role, offset and width of the signals of a channel."""
        stream = self.channels[kind][1]
        for signal, _ in stream.signals:
            role = signal.removeprefix(f"{stream.name}")
            if role in ROLES:
                yield role, *stream.field(signal)

    def check(self, kind: str) -> None:
        """Refuses a channel that lacks signals or has them in a way that the driver cannot handle."""
        found = {role: (offset, width) for role, offset, width in self.fields(kind)}
        needed = {"ar": ["addr"], "aw": ["addr"], "r": ["data", "resp"], "w": ["data", "strb"], "b": ["resp"]}[kind]
        if not self.lite:
            needed += {"ar": ["len"], "aw": ["len"], "r": ["last"], "w": ["last"], "b": []}[kind]
        for role in needed:
            if role not in found:
                raise InterfaceError(f"stream {self.name}_{kind} has no signal {self.name}_{kind}{role}")
        if "data" in found and (found["data"][1] not in WIDTHS or found["data"][0] % 8):
            raise InterfaceError(
                f"{self.name}_{kind}data must begin at a whole byte and have one of {WIDTHS} bits, "
                f"got {found['data'][1]} at {found['data'][0]}"
            )

    def description(self, numbers: Sequence[int]) -> list[str]:
        """Lines that tell the driver of this port; ``numbers`` stand for the streams, in the order of `CHANNELS`."""
        lines = [f"port {int(self.lite)} {self.name}"]
        for kind, number in zip(CHANNELS, numbers, strict=True):
            fields = " ".join(f"{role} {offset} {width}" for role, offset, width in self.fields(kind))
            lines.append(f"channel {CHANNELS.index(kind)} {number} {fields}")
        return lines
