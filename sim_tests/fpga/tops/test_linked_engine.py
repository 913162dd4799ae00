"""An engine and its memory behind the wires of a UART, in RTL: products, refusals, a failed run, a reset amid one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.link.link import Link, LinkError
from tilewright.fpga.host.link.remote_engine import RemoteEngine
from tilewright.fpga.tops.linked_engine import INPUTS
from tilewright.generators.config.presets import engine_preset
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.register_map import BY_NAME
from tilewright.hdl.link.access import MEMORY_REQUEST
from tilewright.sim_tests.simulate.board import simulated_board

CONFIG = engine_preset("engine-4x4-int8-32bit").config

pytestmark = pytest.mark.long


@pytest.fixture
def remote() -> Iterator[RemoteEngine]:
    wire = simulated_board(CONFIG)
    with wire.session:
        link = Link(wire)
        yield RemoteEngine(link, link.identify())


def test_products(remote: RemoteEngine) -> None:
    rng, accelerator = np.random.default_rng(3), Accelerator(remote, remote.config)
    assert remote.config == CONFIG
    for m, n, k in ((1, 1, 1), (4, 4, 4), (9, 7, 13), (40, 30, 50)):
        a, b = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n))
        np.testing.assert_array_equal(accelerator.matmul(a, b), a @ b)
        assert accelerator.last is not None and accelerator.last.counts["cycles"] > 0


def test_bytes_at_any_address(remote: RemoteEngine) -> None:
    rng, expected = np.random.default_rng(1), np.zeros(600, dtype=np.uint8)
    remote.write_memory(0, expected)
    for address, size in ((0, 1), (3, 1), (1, 6), (4, 8), (2, 590)):
        data = rng.integers(0, 256, size).astype(np.uint8)
        remote.write_memory(address, data)
        expected[address : address + size] = data
    np.testing.assert_array_equal(remote.read_memory(0, 600), expected)
    remote.write_memory(remote.memory_bytes - 3, expected[:3])
    np.testing.assert_array_equal(remote.read_memory(remote.memory_bytes - 3, 3), expected[:3])


def test_refusals_by_name_after_which_it_goes_on(remote: RemoteEngine) -> None:
    with pytest.raises(LinkError, match=r"memory from 0xfff8 on: BEYOND$"):
        remote.read_memory(remote.memory_bytes - 6, 7)
    with pytest.raises(LinkError, match=r"memory from 0xfff8 on: BEYOND$"):
        remote.write_memory(remote.memory_bytes - 8, np.zeros(12, dtype=np.uint8))
    with pytest.raises(LinkError, match=r"register 0x046: UNALIGNED$"):
        remote.read_register(0x046)
    with pytest.raises(LinkError, match=r"register 0x200: BEYOND$"):
        remote.read_register(0x200)
    with pytest.raises(LinkError, match=r"register 0x044: REFUSED$"):
        remote.write_register(BY_NAME["status"].offset, 1)
    with pytest.raises(LinkError, match=r"^the design refused to WRITE port 3: UNKNOWN$"):
        remote.link.write(3, b"\0", 1)
    remote.write_memory(8, np.arange(8, dtype=np.uint8))
    assert remote.read_memory(8, 8).tolist() == list(range(8))


def test_a_program_beyond_the_memory_fails_as_on_any_bus(remote: RemoteEngine) -> None:
    accelerator = Accelerator(remote, remote.config)
    accelerator.link.write("program_low", 1 << 16)
    accelerator.link.write("program_count", 1)
    accelerator.link.write("control", 1)
    remote.wait()
    status = accelerator.link.read("status")
    assert status & 7 == 4 and Cause(status >> 8 & 0xFF) == Cause.FETCH_ERROR and status >> 16 & 0xFF == 3
    np.testing.assert_array_equal(accelerator.matmul([[2, 3]], [[4], [5]]), [[23]])


def test_a_reset_amid_everything_leaves_nothing(remote: RemoteEngine) -> None:
    """A run, an answer that nobody reads, half of what is to be written: gone; the memory is as it was."""
    accelerator = Accelerator(remote, remote.config)
    a, b = np.arange(64).reshape(8, 8) - 30, np.eye(8, dtype=np.int64)
    expected = accelerator.matmul(a, b)
    remote.write_memory(0xF000, np.arange(16, dtype=np.uint8))
    accelerator.link.write("control", 1)
    asked = MEMORY_REQUEST.const({"address": 0x8000, "beats": 100, "write": 1}).as_bits().to_bytes(7, "little")
    for name, payload in (("register_request", bytes(7)), ("memory_request", asked), ("written", bytes(10))):
        remote.link.write(INPUTS.index(name), payload, 1)
    remote.link.reset()
    assert remote.read_memory(0xF000, 16).tolist() == list(range(16))
    np.testing.assert_array_equal(Accelerator(remote, remote.config).matmul(a, b), expected)


def test_noise_costs_what_it_hits(remote: RemoteEngine) -> None:
    rng, told = np.random.default_rng(5), remote.link.identify()
    for _ in range(5):
        remote.link.wire.send(rng.bytes(100))
        assert remote.link.identify() == told
    np.testing.assert_array_equal(Accelerator(remote, remote.config).matmul([[7]], [[6]]), [[42]])
