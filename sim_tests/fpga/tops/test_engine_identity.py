"""What an engine on a board tells of itself is enough to know it, and what is wrong with it is said."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.fpga.tops.board_design import board_design
from tilewright.fpga.tops.engine_identity import engine_identity, engine_of, tells_engine
from tilewright.fpga.tops.identity import UnknownDesign, identity
from tilewright.generators.config.engine import engine_config
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.presets import engine_preset, engine_preset_names, preset
from tilewright.hdl.link.frame import MOST_PAYLOAD

LONG = {"module_name": "m" * 60, "rows": 12, "cols": 12, "a": "int7", "b": "uint7", "acc": "int30", "pipeline": 2}
LONG |= {"bus_bits": 64, "address_bits": 48, "max_burst": 64, "outstanding": 16, "channels": 500, "row_sums": 500}
LONG |= {"adds": True, "table": True, "pool_words": 500, "result": "uint8"}


@pytest.mark.parametrize("name", engine_preset_names())
def test_presets_there_and_back(name: str) -> None:
    config = engine_preset(name).config
    told = engine_identity(config, 1 << 16)
    assert tells_engine(told) and len(told) <= MOST_PAYLOAD
    assert engine_of(told + bytes(MOST_PAYLOAD - len(told))) == (config, 1 << 16)


def test_a_core_tells_no_engine() -> None:
    assert not tells_engine(identity(preset("ws-4x4-int8").config))


def test_names_are_told_as_the_registers_know_them() -> None:
    config = engine_config({"module_name": "mine"})
    assert engine_of(engine_identity(config, 4096)) == (config, 4096)


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (b"TILEWRIGHT-ENGINE2 0", "an identity must begin with TILEWRIGHT-ENGINE1, got b'TILEWRIGHT-ENGINE2 0'"),
        (b"TILEWRIGHT-ENGINE1 00000000", "the identity of the design cannot be read: "),
        (b"TILEWRIGHT-ENGINE1 00000000 much {}", "the identity of the design cannot be read: "),
        (b'TILEWRIGHT-ENGINE1 00000000 4096 {"rows":0}', "the identity of the design cannot be read: rows must be "),
        (b"TILEWRIGHT-ENGINE1 00000000 4096 {}", "the design was made by another version: its fields have digest 0"),
    ],
)
def test_what_is_no_identity(told: bytes, reason: str) -> None:
    with pytest.raises(UnknownDesign) as error:
        engine_of(told)
    assert str(error.value).startswith(reason)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"data_ports": "axi4-stream"}, "data_ports must be axi4 for a board, got 'axi4-stream'; nearest legal value"),
        ({"cores": 2}, "cores must be 1 for a board, got 2; nearest legal value is 1"),
        (LONG, "module_name and the fields that are not the default must be told in 247 bytes "),
    ],
)
def test_engines_that_no_board_can_have(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError) as told:
        board_design(engine_config(fields), 25)
    assert str(told.value).startswith(sentence) and "\n" not in str(told.value)
