"""A core behind the wires of a UART, in RTL: products, resets, other designs, wires that are dead."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright.fpga.host.link.core_driver import CoreDriver
from tilewright.fpga.host.link.link import Link, LinkError
from tilewright.fpga.host.link.wrong_design import WrongDesign
from tilewright.generators.config.presets import preset
from tilewright.generators.config.systolic import systolic_config
from tilewright.hdl.link.frame import Operation
from tilewright.hdl.link.uart_timing import LEAST_DIVISOR
from tilewright.sim_tests.harness.uart_session import UartSession
from tilewright.sim_tests.simulate.board import simulated_board
from tilewright.sim_tests.simulate.uart_wire import UartWire

CONFIG = preset("any-4x4-int8").config
DIVISOR = LEAST_DIVISOR


@pytest.fixture
def session() -> Iterator[UartSession]:
    wire = simulated_board(CONFIG, DIVISOR)
    with wire.session as found:
        yield found


@pytest.fixture
def core(session: UartSession) -> CoreDriver:
    return CoreDriver(Link(UartWire(session)))


def test_products(core: CoreDriver) -> None:
    rng = np.random.default_rng(3)
    for number, (m, n, k) in enumerate(((1, 1, 1), (8, 8, 8), (65, 7, 17), (3, 69, 5), (2, 2, 0), (0, 3, 4))):
        a, b = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n))
        start = rng.integers(-1000, 1000, (m, n)) if number % 2 else None
        found = core.product(a, b, start, dataflow=("ws", "os", "is")[number % 3])
        np.testing.assert_array_equal(found, a @ b + (0 if start is None else start))


def test_it_tells_its_configuration_and_another_is_named(session: UartSession) -> None:
    link = Link(UartWire(session))
    assert CoreDriver(link, CONFIG).config == CONFIG
    with pytest.raises(WrongDesign, match=r"^the design has rows 4, expected 8: load the bitstream of that design$"):
        CoreDriver(link, systolic_config({**CONFIG.model_dump(), "rows": 8}))


def test_a_reset_leaves_nothing(core: CoreDriver, session: UartSession) -> None:
    """Half a beat, half a load, an answer that nobody read: gone."""
    a, b = np.arange(64).reshape(8, 8) - 30, np.eye(8, dtype=np.int64)
    expected = core.product(a, b)
    for port in range(len(core.inputs)):
        core.link.write(port, b"\x01", 1)
    core.link.reset()
    np.testing.assert_array_equal(core.product(a, b), expected)


def test_what_a_line_does_to_frames(core: CoreDriver, session: UartSession) -> None:
    """Noise, a break, a clock that is 2 % off: the next good frame is answered."""
    rng, told = np.random.default_rng(5), core.link.identify()
    for _ in range(10):
        session.send(rng.bytes(100))
        assert core.link.identify() == told
    session.hold(40 * DIVISOR)
    assert core.link.identify() == told
    for off in (0.98, 1.02):
        session.pace(off * DIVISOR)
        assert core.link.identify() == told
    session.pace(DIVISOR)
    assert core.product(np.ones((2, 3), np.int64), np.ones((3, 2), np.int64)).tolist() == [[3, 3], [3, 3]]


def test_nobody_answers() -> None:
    class Dead:
        def send(self, data: bytes) -> None:
            pass

        def receive(self, count: int) -> bytes:
            return b""

        def close(self) -> None:
            pass

    with pytest.raises(LinkError, match=r"^the design does not answer: is the bitstream loaded"):
        CoreDriver(Link(Dead()))


def test_a_port_that_is_not_there(core: CoreDriver) -> None:
    with pytest.raises(LinkError, match=f"^the design refused to {Operation.WRITE.name} port 200: UNKNOWN$"):
        core.link.write(200, b"abc", 1)
