"""A PYNQ board whose engine is simulated: registers, and buffers in a memory that a cache stands before."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.fpga.host.memory_map import MemoryMap
from tilewright.fpga.host.transport import Transport


class Buffer(np.ndarray):
    """What ``allocate`` gives: the processor's view, which is memory's only after ``flush`` or ``invalidate``."""

    physical_address: int
    board: PynqBoard

    def flush(self) -> None:
        data = np.ascontiguousarray(self).view(np.ndarray).view(np.uint8).ravel()
        self.board.transport.write_memory(self.physical_address, data)

    def invalidate(self) -> None:
        data = self.board.transport.read_memory(self.physical_address, self.nbytes)
        self[...] = data.view(self.dtype).reshape(self.shape)

    def freebuffer(self) -> None:
        self.board.held -= 1


class PynqBoard:
    """Registers as `pynq.MMIO` gives them, and ``allocate``; ``held`` buffers have not been freed."""

    def __init__(self, transport: Transport) -> None:
        self.transport, self.held = transport, 0
        self._memory = MemoryMap(transport.memory_base, transport.memory_bytes)

    def read(self, offset: int) -> int:
        return self.transport.read_register(offset)

    def write(self, offset: int, value: int) -> None:
        self.transport.write_register(offset, value)

    def allocate(self, shape: tuple[int, ...], dtype: Any) -> Buffer:
        if not self.held:
            self._memory.begin()
        self.held += 1
        buffer = np.full(shape, 85, dtype=dtype).view(Buffer)
        buffer.board, buffer.physical_address = self, self._memory.take("buffer", buffer.nbytes)
        return buffer
