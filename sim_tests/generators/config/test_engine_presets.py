"""Presets of engines are valid, named after what they are, apart from those of cores, and have a schema."""

from __future__ import annotations

from importlib import resources

import pytest

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.engine import BUS_BITS, EngineConfig, engine_config
from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.presets import engine_preset, engine_preset_names, engine_presets, preset_names
from tilewright.generators.config.resolve import over
from tilewright.generators.config.schema import json_schema, schema_text
from tilewright.hdl.engine import parameters

FOLDER = resources.files("tilewright.generators.presets")


def test_names_tell_the_size_and_formats() -> None:
    for entry in engine_presets():
        c = entry.config
        assert entry.name.startswith(f"engine-{c.rows}x{c.cols}-{c.a}")
        assert entry.purpose
        assert (FOLDER / f"{entry.name}.toml").read_text().splitlines()[0] == "#:schema ./engine.schema.json"
    assert not set(engine_preset_names()) & set(preset_names())


def test_the_16x16_one_has_64_kib() -> None:
    config = engine_preset("engine-16x16-int8").config
    assert config.memory_bytes == 64 * 1024 and config.bus_bits == 128


def test_presets_of_cores_are_none_of_engines() -> None:
    with pytest.raises(ConfigError, match="preset 'ws-16x16-int8' does not exist; nearest is 'engine-16x16-int8'"):
        engine_preset("ws-16x16-int8")


def test_the_shipped_schema_is_up_to_date() -> None:
    shipped = (FOLDER / "engine.schema.json").read_text(encoding="utf-8")
    assert shipped == schema_text(EngineConfig), "rewrite it: tilewright schema --engine > engine.schema.json"
    fields = json_schema(EngineConfig)["properties"]
    assert set(fields) == {*EngineConfig.model_fields, "$schema"}
    assert fields["gelu"]["type"] == "boolean" and fields["bus_bits"]["enum"] == list(BUS_BITS)
    assert all(field["description"] for field in fields.values())


def test_widths_of_the_port_are_those_of_the_hardware() -> None:
    assert parameters.BUS_BITS == BUS_BITS


def test_operands_of_another_kind_leave_nothing_of_the_results() -> None:
    start = engine_preset("engine-8x8-bf16").config.model_dump()
    config = engine_config(over(start, {"a": "int8"}))
    assert (str(config.result), config.functions, str(config.acc)) == ("int8", (), "int32")
    assert engine_config(over(start, {"rows": 4})).gelu


def test_the_command_tells_flags_that_are_set() -> None:
    config = engine_config({"a": "bf16", "tanh": True, "gelu": False, "memory_limit_bits": 1 << 39})
    assert canonical_command(config) == (
        "tilewright engine --rows 16 --cols 16 --dataflow ws --a bf16 --b bf16 --acc fp32 --bus-bits 128 "
        "--result bf16 --tanh"
    )
