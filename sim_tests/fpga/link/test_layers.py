"""Where a board stays silent, what is told names the layer: port, line, rate, protocol, design. Over real ports."""

from __future__ import annotations

import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.link import serial_wire
from tilewright.fpga.host.link.link import LinkError
from tilewright.fpga.tops.identity import identity
from tilewright.generators.commands.app import run
from tilewright.generators.config.presets import preset
from tilewright.sim_tests.fpga.link.far_end import Answer, chatting, far_end, garbled, silent, telling

OTHER = identity(preset("ws-4x4-int8").config)
LAYERS: dict[str, tuple[Answer, str]] = {
    "line": (
        silent,
        "the design does not answer: is the bitstream loaded, are rx and tx at the right pins, is the rate",
    ),
    "rate": (garbled, "the design answers, but "),
    "protocol": (chatting, "what answers does not speak the protocol of this link: is this the right port?"),
    "design": (
        telling(b"BLINKY 3"),
        "the link works, but the design behind it is unknown: an identity must begin with",
    ),
    "version": (
        telling(OTHER.replace(b'"rows":4', b'"rows":5')),
        "the link works, but the design behind it is unknown: ",
    ),
}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence is told at once."""
    monkeypatch.setattr(serial_wire, "SILENCE", 0.05)
    monkeypatch.setattr(serial_wire, "PATIENCE", 0.05)


@pytest.mark.parametrize("layer", LAYERS)
def test_the_layer_that_does_not_work_is_named(layer: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer, sentence = LAYERS[layer]
    with far_end(answer) as port:
        with pytest.raises(LinkError) as told:
            Accelerator.connect(port)
        assert str(told.value).startswith(sentence) and "\n" not in str(told.value)
        assert run(["selftest", port]) == 1
        said = " ".join(capsys.readouterr().err.split())
        assert said.startswith(f"error: {sentence}") and "Traceback" not in said


def test_another_core_than_the_expected_one_is_named() -> None:
    wanted = preset("ws-4x4-int8").config.model_copy(update={"rows": 8})
    with (
        far_end(telling(OTHER)) as port,
        pytest.raises(LinkError, match=r"^the design has rows 4, expected 8: load the"),
    ):
        Accelerator.connect(port, wanted)


def test_a_port_that_takes_nothing_is_named() -> None:
    with far_end(None) as port:
        wire = serial_wire.SerialWire(port, 115_200)
        with pytest.raises(LinkError, match=f"^{port} takes nothing: its adapter hangs, or what it leads to holds it"):
            wire.send(bytes(1 << 20))
        wire.close()


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (PermissionError(13, "x"), "permission denied; add yourself to the group that owns it "),
        (ValueError("Failed to set custom baud rate (5): x"), r"Failed to set custom baud rate \(5\): x$"),
    ],
)
def test_what_the_system_refuses_is_told(error: Exception, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    serial = pytest.importorskip("serial")

    def refused(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(serial, "Serial", refused)
    with pytest.raises(LinkError, match=f"^/dev/ttyUSB0 cannot be opened: {sentence}"):
        Accelerator.connect("/dev/ttyUSB0")


def test_what_is_no_serial_port_is_told() -> None:
    with pytest.raises(LinkError, match=r"^/dev/null cannot be opened: it is no serial port; ports that are there: "):
        Accelerator.connect("/dev/null")
    with pytest.raises(LinkError, match=r"cannot be opened: embedded null byte$"):
        Accelerator.connect("a\0b")
