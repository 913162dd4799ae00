"""The choice between a memory port and streams."""

from __future__ import annotations

import pytest

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.engine import engine_config
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.presets import engine_preset, engine_presets
from tilewright.generators.emit.engine import digest


def test_a_memory_port_is_the_default_and_not_told() -> None:
    assert not engine_config({}).streams
    assert "--data-ports" not in canonical_command(engine_config({}))
    assert "--data-ports axi4-stream" in canonical_command(engine_config({"data_ports": "axi4-stream"}))


def test_only_presets_named_so_have_streams() -> None:
    for entry in engine_presets():
        assert entry.config.streams == entry.name.endswith("-stream")
    assert engine_preset("engine-4x4-int8-stream").config.streams


@pytest.mark.parametrize("value", ["axi4-streams", "stream", "AXI4-STREAM", "", 4])
def test_another_value_is_refused(value: object) -> None:
    with pytest.raises(ConfigError, match=r"data_ports must be .*axi4.*axi4-stream.*nearest legal value is axi4"):
        engine_config({"data_ports": value})


@pytest.mark.parametrize("cores", [2, 16])
def test_several_cores_have_memory_ports(cores: int) -> None:
    message = f"^cores must be 1 for data_ports axi4-stream, got {cores}; nearest legal value is 1$"
    with pytest.raises(ConfigError, match=message):
        engine_config({"data_ports": "axi4-stream", "cores": cores})
    assert engine_config({"data_ports": "axi4-stream", "cores": 1}).streams
    assert engine_config({"data_ports": "axi4", "cores": cores}).cores == cores


def test_drivers_can_tell_one_from_the_other() -> None:
    assert digest(engine_config({})) != digest(engine_config({"data_ports": "axi4-stream"}))
