"""Streams of values between which a mover has the choice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from amaranth.lib import data

from tilewright.hdl.engine.order import STREAM_BITS
from tilewright.hdl.stream.beat import beat_layout

CONTAINERS = (1, 2, 4, 8)


@dataclass(frozen=True)
class ValuePort:
    """A stream of matrices: beats of ``values`` codes of ``width`` bits, each in ``container`` bytes in memory.

    Codes are the lowest bits of their containers. When they are written, those that are ``signed`` fill what is above
    them with their sign, the others with zeros; what is read there is not looked at.
    """

    name: str
    values: int
    width: int
    container: int
    signed: bool = False

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise ValueError(f"name must be an identifier, got {self.name!r}")
        if self.container not in CONTAINERS:
            raise ValueError(f"container must be one of 1, 2, 4, 8 bytes, got {self.container}")
        if not 1 <= self.width <= 8 * self.container:
            raise ValueError(f"width must be 1..{8 * self.container} bits in {self.container} bytes, got {self.width}")
        if self.values < 1:
            raise ValueError(f"values must be at least 1, got {self.values}")

    @property
    def bytes(self) -> int:
        """Bytes of memory that a full beat stands for."""
        return self.values * self.container

    @property
    def beat(self) -> data.StructLayout:
        """Payload of the stream."""
        return beat_layout(self.values, self.width)

    @property
    def label(self) -> str:
        """What names of blocks say of it."""
        return f"{self.name}{self.values}x{'s' if self.signed else ''}{self.width}in{self.container}"


def check_ports(kind: str, ports: Sequence[ValuePort], others: Collection[str]) -> tuple[ValuePort, ...]:
    """``ports`` when there is one or more, not more than an order can tell apart, each with a name of its own.

    ``others``: names of the other ports beside them.
    """
    if not 1 <= len(ports) <= 1 << STREAM_BITS:
        raise ValueError(f"{kind} must be 1..{1 << STREAM_BITS} streams, got {len(ports)}")
    names = [port.name for port in ports]
    if len(set(names)) < len(names):
        raise ValueError(f"{kind} must have names of their own, got {', '.join(names)}")
    for name in names:
        if name in others:
            raise ValueError(f"{kind} must not be called as another port is ({', '.join(sorted(others))}), got {name}")
    return tuple(ports)
