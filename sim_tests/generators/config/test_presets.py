"""The presets are valid, named after what they are, and found by name."""

from __future__ import annotations

from importlib import resources

import pytest

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.presets import preset, preset_names, presets


def test_names_tell_dataflow_and_size() -> None:
    found = presets()
    assert [entry.name for entry in found] == preset_names()
    for entry in found:
        config = entry.config
        assert entry.name.startswith(f"{config.dataflow}-{config.rows}x{config.cols}-{config.a}".replace("_", "-"))
        assert entry.purpose


def test_every_dataflow_and_the_demonstration_sizes_are_there() -> None:
    wanted = {f"{flow}-{size}x{size}-int8" for flow in ("ws", "os", "is", "any") for size in (4, 8, 16)}
    assert wanted < set(preset_names())
    assert "ws-16x16-int4" in preset_names()


def test_every_float_format_and_kind_of_accumulator_is_there() -> None:
    floats = [entry.config for entry in presets() if entry.config.integers is None]
    assert {str(c.a) for c in floats} == {"bf16", "fp16", "fp8_e4m3", "fp8_e5m2"}
    assert {c.dataflow for c in floats if str(c.a) == "bf16"} == {"ws", "os", "is", "any"}
    assert {str(c.acc) for c in floats} == {"fp32", "fx48", "fx32"}


def test_an_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        preset("os-16x16-int9")
    assert str(caught.value) == "preset 'os-16x16-int9' does not exist; nearest is 'os-16x16-int8'"


@pytest.mark.parametrize("name", ["", "../config/rules", "OS-16X16-INT8"])
def test_only_listed_names_are_read(name: str) -> None:
    with pytest.raises(ConfigError, match="does not exist; nearest is"):
        preset(name)


def test_every_file_names_the_schema_for_editors() -> None:
    folder = resources.files("tilewright.generators.presets")
    for name in preset_names():
        first = (folder / f"{name}.toml").read_text().splitlines()[0]
        assert first == "#:schema ./systolic.schema.json"
        assert (folder / "systolic.schema.json").is_file()
