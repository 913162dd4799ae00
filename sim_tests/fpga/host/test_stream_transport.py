"""A DMA that moves one packet at a time, behind an accelerator that knows nothing of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.lookup import Lookup
from tilewright.fpga.host.run_failed import RunFailed
from tilewright.fpga.host.stream_transport import StreamTransport
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.packet_faults import PacketFault
from tilewright.sim_tests.harness.axis_dma import AxisDma, DmaSettings, Part
from tilewright.sim_tests.system.stream_engines import stream_engine

Bytes = NDArray[np.uint8]
SENT, CAME = 1 << 20, 1 << 21
"""Where the packets lie that are sent, and those that come."""


class SimpleDma:
    """A `StreamLink` over the simulation: a packet is put into its memory, and then sent."""

    def __init__(self) -> None:
        self.session = stream_engine().session(memory_bytes=1 << 22)
        self.dma = AxisDma(self.session)
        self.spoil = False
        self._take(False)
        self._next = SENT

    def _take(self, now: bool) -> None:
        """Whether packets of stores are taken: only those that somebody waits for."""
        stalls = {} if now else {"m_axis_store": 1.0}
        self.dma.configure(DmaSettings(latency=5, stalls=stalls, packets=not self.spoil))

    def read_register(self, offset: int) -> int:
        return self.session.read(offset)

    def write_register(self, offset: int, value: int) -> None:
        self.session.write(offset, value)

    def send_program(self, packet: Bytes) -> None:
        self._next = SENT
        self._add("s_axis_program", packet)

    def send(self, packet: Bytes) -> None:
        self._take(False)
        self._add("s_axis_load", packet[:-1] if self.spoil and len(packet) > 1 else packet)
        for _ in range(300):
            if not self.dma.counters()["load_waiting"]:
                return
            self.session.run(10)

    def _add(self, stream: str, packet: Bytes) -> None:
        self.session.load(self._next, packet)
        self.dma.add(stream, [Part(self._next, len(packet))])
        self._next += len(packet)

    def receive(self, size: int) -> Bytes:
        self.dma.add("m_axis_store", [Part(CAME, size)])
        self._take(True)
        for _ in range(300):
            now = self.dma.counters()
            if not now["store_waiting"] and not now["arriving"]:
                self._take(False)
                return self.session.memory[CAME : CAME + size].copy()
            self.session.run(10)
        raise TimeoutError("no packet came")

    def wait(self) -> None:
        self._take(True)
        self.session.wait_interrupt(100_000)

    def close(self) -> None:
        self.session.__exit__(None, None, None)


@pytest.fixture
def accelerator() -> Iterator[Accelerator]:
    link = SimpleDma()
    with Accelerator(StreamTransport(link, stream_engine().config, memory_bytes=1 << 20), stream_engine().config) as it:
        yield it


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 4), (3, 5, 5), (4, 6, 7), (17, 19, 23), (40, 31, 64)])
def test_matmul(accelerator: Accelerator, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    rng = np.random.default_rng(shape)
    a, b = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n))
    assert np.array_equal(accelerator.matmul(a, b), a @ b)
    bias = rng.integers(-1000, 1000, n)
    assert np.array_equal(accelerator.linear(a, b.T, bias), a @ b + bias)


def test_conv2d_with_padding(accelerator: Accelerator) -> None:
    rng = np.random.default_rng(1)
    x, w = rng.integers(-128, 128, (2, 6, 5, 3)), rng.integers(-128, 128, (3, 3, 3, 4))
    padded = np.pad(x - 7, ((0, 0), (1, 1), (1, 1), (0, 0)))
    rows = [padded[:, dy : dy + 6, dx : dx + 5] @ w[dy, dx] for dy in range(3) for dx in range(3)]
    assert np.array_equal(accelerator.conv2d(x, w, padding=1, a_zero=7), sum(rows))


def test_results_that_are_looked_up(accelerator: Accelerator) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(-128, 128, (7, 9)), rng.integers(-128, 128, (9, 6))
    turned = np.arange(256, dtype=np.uint8)[::-1].view(np.int8)
    plain = accelerator.matmul(a, b, scale=0.01)
    found = accelerator.matmul(a, b, scale=0.01, activation=Lookup(turned))
    assert np.array_equal(found, turned[plain.view(np.uint8)]) and len(np.unique(found)) > 5


def test_several_products_in_one_program(accelerator: Accelerator) -> None:
    rng = np.random.default_rng(4)
    a, b, c = rng.integers(-128, 128, (7, 9)), rng.integers(-128, 128, (9, 6)), rng.integers(-128, 128, (6, 4))
    with accelerator.program() as program:
        found = accelerator.matmul(accelerator.matmul(a, b, scale=0.01), c)
    assert len(program.runs) == 1
    assert np.array_equal(found, accelerator.matmul(a, b, scale=0.01).astype(int) @ c)


def test_a_packet_that_is_too_short_is_told_and_the_next_product_is_right(accelerator: Accelerator) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(-128, 128, (5, 9)), rng.integers(-128, 128, (9, 6))
    transport = accelerator.transport
    assert isinstance(transport, StreamTransport) and isinstance(transport.link, SimpleDma)
    transport.link.spoil = True
    with pytest.raises(RunFailed, match="the packet of a load was not as long as its matrix: T") as failed:
        accelerator.matmul(a, b)
    assert failed.value.cause == Cause.LOAD_PACKET
    assert failed.value.detail in (PacketFault.TKEEP, PacketFault.TLAST_EARLY)
    transport.link.spoil = False
    transport.link.session.run(500)  # what the DMA still has is dropped
    transport.link.dma.forget()
    assert np.array_equal(accelerator.matmul(a, b), a @ b)
