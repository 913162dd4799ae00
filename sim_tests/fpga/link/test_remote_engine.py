"""The host's side of an engine behind a link, against ports in Python that keep the same rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cobs import cobs

from tilewright.fpga.host import reached
from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.link import remote_engine
from tilewright.fpga.host.link.frames import framed
from tilewright.fpga.host.link.link import Link, LinkError
from tilewright.fpga.host.link.remote_engine import RemoteEngine
from tilewright.fpga.host.link.wrong_design import WrongDesign
from tilewright.fpga.tops.engine_identity import engine_identity
from tilewright.fpga.tops.linked_engine import INPUTS, OUTPUTS, port_bits
from tilewright.generators.config.presets import engine_preset, preset
from tilewright.generators.emit.engine import constants
from tilewright.generators.reference.engine import ReferenceEngine
from tilewright.hdl.engine.register_map import BY_NAME
from tilewright.hdl.link.access import MEMORY_ANSWER, MEMORY_REQUEST, REGISTER_ANSWER, REGISTER_REQUEST, Access
from tilewright.hdl.link.frame import REPLY, Operation
from tilewright.sim_tests.fpga.link.far_end import telling

CONFIG = engine_preset("engine-4x4-int8-32bit").config
SIZE = 4096
TOLD = engine_identity(CONFIG, SIZE)
DONE = 1 << 1
INTERRUPT = BY_NAME["interrupt"].offset


class Board:
    """A wire to an engine that is interpreted: registers and memory, each access answered as the hardware does.

    ``ends``: whether runs do.
    """

    def __init__(self) -> None:
        self.memory = np.zeros(SIZE, dtype=np.uint8)
        self.registers = {BY_NAME[name].offset: value for name, value in constants(CONFIG).items()}
        self.engine, self.ends = ReferenceEngine(CONFIG, self.memory), True
        self.outputs: dict[str, bytearray] = {name: bytearray() for name in OUTPUTS}
        self.begun = self.said = b""
        self.request: Any = None
        self._identify = telling(TOLD)

    def send(self, data: bytes) -> None:
        """See `Wire`."""
        *frames, self.begun = (self.begun + data).split(b"\0")
        for frame in filter(None, frames):
            self.said += self._answer(frame)

    def receive(self, count: int) -> bytes:
        """See `Wire`."""
        came, self.said = self.said[:count], self.said[count:]
        return came

    def close(self) -> None:
        """See `Wire`."""

    def _answer(self, frame: bytes) -> bytes:

        sequence, operation, port, length, *payload = cobs.decode(frame)[:-2]
        if operation == Operation.WRITE:
            getattr(self, f"_{INPUTS[port]}")(bytes(payload))
        elif operation == Operation.READ:
            waiting = self.outputs[OUTPUTS[port]]
            beat = -(-list(port_bits(CONFIG.bus_bits)[1].values())[port] // 8)
            count = min(len(waiting), (length - 1) // beat * beat)
            told = bytes(waiting[:count]).ljust(length - 1, b"\0") + bytes((count,))
            del waiting[:count]
            return framed(bytes((sequence, operation | REPLY, 0, length)) + told)
        else:
            return self._identify(b"\0" + frame + b"\0")
        return framed(bytes((sequence, operation | REPLY, 0, 0)))

    def _register_request(self, payload: bytes) -> None:
        asked = REGISTER_REQUEST.from_bits(int.from_bytes(payload, "little"))
        known = asked.address in (register.offset for register in BY_NAME.values())
        status = Access.UNALIGNED if asked.address % 4 else Access.DONE if known else Access.REFUSED
        if status == Access.DONE and asked.write:
            self.registers[asked.address] = 0 if asked.address == INTERRUPT else asked.data
            if asked.address == BY_NAME["control"].offset and asked.data & 1 and self.ends:
                self._run()
        answer = REGISTER_ANSWER.const({"data": self.registers.get(asked.address, 0), "status": status})
        self.outputs["register_answer"] += answer.as_bits().to_bytes(5, "little")

    def _run(self) -> None:
        begin, count = (self.registers[BY_NAME[f"program_{part}"].offset] for part in ("low", "count"))
        self.engine.run(self.memory[begin : begin + 64 * count])
        self.registers[BY_NAME["status"].offset] = DONE
        self.registers[INTERRUPT] = 1

    def _memory_request(self, payload: bytes) -> None:
        asked = MEMORY_REQUEST.from_bits(int.from_bytes(payload, "little"))
        start, end = asked.address, asked.address + 4 * asked.beats
        self.status = Access.UNALIGNED if start % 4 else Access.BEYOND if end > SIZE else Access.DONE
        self.place, self.left = start, end - start
        if not asked.write:
            if self.status == Access.DONE:
                self.outputs["read"] += self.memory[start:end].tobytes()
            self._memory_answer()

    def _written(self, payload: bytes) -> None:
        assert len(payload) <= self.left and len(payload) % 4 == 0
        if self.status == Access.DONE:
            self.memory[self.place : self.place + len(payload)] = np.frombuffer(payload, dtype=np.uint8)
        self.place, self.left = self.place + len(payload), self.left - len(payload)
        if not self.left:
            self._memory_answer()

    def _memory_answer(self) -> None:
        self.outputs["memory_answer"] += MEMORY_ANSWER.const({"status": self.status}).as_bits().to_bytes(1, "little")


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Board:
    """What is at the end of every serial port."""
    board = Board()
    monkeypatch.setattr(reached, "SerialWire", lambda name, baud: board)
    return board


@pytest.mark.usefixtures("port")
def test_products() -> None:
    rng = np.random.default_rng(4)
    with Accelerator.connect("/dev/ttyUSB0", CONFIG) as found:
        assert found.config == CONFIG and found.transport.memory_bytes == SIZE
        for m, n, k in ((1, 1, 1), (4, 4, 4), (9, 7, 13)):
            a, b = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n))
            np.testing.assert_array_equal(found.matmul(a, b), a @ b)


def test_bytes_at_any_address() -> None:
    board = Board()
    remote, rng = RemoteEngine(Link(board), TOLD), np.random.default_rng(1)
    board.memory[:] = expected = rng.integers(0, 256, SIZE).astype(np.uint8)
    expected = expected.copy()
    for address, size in ((0, 0), (0, 1), (3, 1), (1, 6), (4, 8), (2, 700), (SIZE - 1, 1), (0, SIZE)):
        data = rng.integers(0, 256, size).astype(np.uint8)
        remote.write_memory(address, data)
        expected[address : address + size] = data
        np.testing.assert_array_equal(board.memory, expected)
        np.testing.assert_array_equal(remote.read_memory(address, size), data)


def test_what_the_design_refuses_is_told_by_name() -> None:
    remote = RemoteEngine(Link(Board()), TOLD)
    for refused, sentence in (
        (lambda: remote.read_memory(SIZE - 2, 3), "memory from 0xffc on: BEYOND"),
        (lambda: remote.write_memory(SIZE, np.zeros(4, np.uint8)), "memory from 0x1000 on: BEYOND"),
        (lambda: remote.read_register(0x042), "register 0x042: UNALIGNED"),
        (lambda: remote.write_register(0x1FC, 1), "register 0x1fc: REFUSED"),
    ):
        with pytest.raises(LinkError, match=rf"^the design refused an access to {sentence}$"):
            refused()
    remote.write_memory(8, np.arange(9, dtype=np.uint8))
    assert remote.read_memory(9, 2).tolist() == [1, 2], "it goes on"


def test_a_run_that_does_not_end(port: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    port.ends = False
    monkeypatch.setattr(remote_engine, "POLLS", 20)
    with (
        Accelerator.connect("/dev/ttyUSB0") as found,
        pytest.raises(TimeoutError, match=r"^the engine must end its run, but tells no interrupt when asked 20 times$"),
    ):
        found.matmul(np.eye(2, dtype=np.int64), np.eye(2, dtype=np.int64))
    assert port.registers[BY_NAME["control"].offset] == 2, "it is aborted"


@pytest.mark.usefixtures("port")
def test_another_design_than_the_expected_one_is_named() -> None:
    with pytest.raises(WrongDesign, match=r"^the design has product engine, expected core: load the bitstream of that"):
        Accelerator.connect("/dev/ttyUSB0", preset("ws-4x4-int8").config)
    with pytest.raises(WrongDesign, match=r"^the design has outstanding 4, expected 8: load the bitstream of that des"):
        Accelerator.connect("/dev/ttyUSB0", CONFIG.model_copy(update={"outstanding": 8}))
    with pytest.raises(WrongDesign, match=r"^the link works, but the design behind it is unknown: an identity must be"):
        RemoteEngine(Link(Board()), TOLD.replace(b"ENGINE1", b"ENGINE2"))
