"""An engine with AXI4-Stream ports and a DMA of yours, as a transport of the driver."""

from __future__ import annotations

import contextlib
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.reference.engine_packets import packets
from tilewright.hdl.engine.records import INSTRUCTION_BITS
from tilewright.hdl.engine.register_map import BY_NAME

Bytes = NDArray[np.uint8]
_CONTROL = BY_NAME["control"].offset


class StreamLink(Protocol):
    """What a DMA must do, and how registers are reached. Packets are bytes, as uint8."""

    def read_register(self, offset: int) -> int:
        """The 32-bit register at byte ``offset``."""
        ...

    def write_register(self, offset: int, value: int) -> None:
        """Writes the 32-bit register at byte ``offset``."""
        ...

    def send_program(self, packet: Bytes) -> None:
        """Begins to send a packet to ``s_axis_program``; does not wait until it is taken."""
        ...

    def send(self, packet: Bytes) -> None:
        """Sends a packet to ``s_axis_load``, behind those before; may return before it is taken."""
        ...

    def receive(self, size: int) -> Bytes:
        """The next packet of ``m_axis_store``, of ``size`` bytes. Raises TimeoutError where none comes."""
        ...

    def wait(self) -> None:
        """Waits for the interrupt. Raises TimeoutError where it does not come."""
        ...

    def close(self) -> None:
        """Lets go of the engine."""
        ...


class StreamTransport:
    """A `Transport` over ``link``, to the engine of ``config``; its memory are ``memory_bytes`` bytes of this process.

    A run sends and receives its packets one after the other, in the order of the program, so that no packet is read
    before those of stores are there that it depends on.
    """

    def __init__(self, link: StreamLink, config: EngineConfig, *, memory_bytes: int = 1 << 26) -> None:
        self.link, self.config = link, config
        self.memory_base, self.memory_bytes = 0, memory_bytes
        self.memory: Bytes = np.zeros(memory_bytes, dtype=np.uint8)
        self._registers: dict[int, int] = {}
        self._program: Bytes = self.memory[:0]

    def read_register(self, offset: int) -> int:
        """See `Transport`."""
        return self.link.read_register(offset)

    def write_register(self, offset: int, value: int) -> None:
        """See `Transport`; the start of a run begins to send its program."""
        self._registers[offset] = value
        self.link.write_register(offset, value)
        if offset == _CONTROL and value & 1:
            low, high, count = (
                self._registers.get(BY_NAME[f"program_{name}"].offset, 0) for name in ("low", "high", "count")
            )
            self._program = self.read_memory(low | high << 32, INSTRUCTION_BITS // 8 * count)
            self.link.send_program(self._program)

    def read_memory(self, address: int, size: int) -> NDArray[Any]:
        """See `Transport`."""
        return self.memory[address : address + size].copy()

    def write_memory(self, address: int, data: NDArray[Any]) -> None:
        """See `Transport`."""
        self.memory[address : address + len(data)] = data

    def wait(self) -> None:
        """See `Transport`; sends and receives the packets of the run first.

        Of a run that fails packets do not come; the interrupt does.
        """
        with contextlib.suppress(TimeoutError):
            for sent, packet in packets(self._program, self.config).in_order:
                if sent:
                    self.link.send(packet.read(self.memory))
                else:
                    packet.write(self.memory, self.link.receive(packet.size))
        self.link.wait()

    def close(self) -> None:
        """See `Transport`."""
        self.link.close()
