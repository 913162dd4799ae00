"""A serial port as a wire: bytes there and back, silence, and ports that cannot be opened."""

from __future__ import annotations

import os
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright.fpga.host.link import serial_wire
from tilewright.fpga.host.link.link import LinkError
from tilewright.fpga.host.link.serial_wire import SerialWire


@pytest.fixture
def port() -> Iterator[tuple[int, str]]:
    """The far end of a port, and the port's name."""
    far, near = os.openpty()
    tty.setraw(near)
    try:
        yield far, os.ttyname(near)
    finally:
        os.close(far)
        os.close(near)


def test_bytes_there_and_back(port: tuple[int, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serial_wire, "SILENCE", 0.01)
    far, name = port
    wire = SerialWire(name, 115_200)
    wire.send(b"\0\x11\x13\xff\r\n")
    assert os.read(far, 100) == b"\0\x11\x13\xff\r\n"
    os.write(far, b"\xff\0\x13ab")
    assert wire.receive(3) == b"\xff\0\x13"
    assert wire.receive(3) == b"ab", "fewer where no more come"
    assert wire.receive(1) == b""
    wire.close()


def test_ports_that_cannot_be_opened(port: tuple[int, str], tmp_path: Path) -> None:
    _, name = port
    first = SerialWire(name, 115_200)
    with pytest.raises(LinkError, match=rf"^{name} cannot be opened: another program has it open$"):
        SerialWire(name, 115_200)
    first.close()
    plain = tmp_path / "file"
    plain.touch()
    with pytest.raises(LinkError, match=rf"^{plain} cannot be opened: "):
        SerialWire(str(plain), 115_200)
    with pytest.raises(LinkError, match=r"^/dev/ttyNONE cannot be opened: no such port; ports that are there: "):
        SerialWire("/dev/ttyNONE", 115_200)


def test_a_port_that_is_pulled_out(port: tuple[int, str], monkeypatch: pytest.MonkeyPatch) -> None:
    wire = SerialWire(port[1], 115_200)

    def gone(_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(wire._port, "write", gone)
    with pytest.raises(LinkError, match=rf"^{port[1]} is gone: Input/output error$"):
        wire.send(b"a")
