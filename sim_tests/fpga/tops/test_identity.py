"""What a design tells of itself is enough to know its configuration, and what is wrong with it is said."""

from __future__ import annotations

import pytest

from tilewright.fpga.tops.identity import UnknownDesign, configuration, identity
from tilewright.generators.config.presets import preset, preset_names
from tilewright.generators.config.systolic import systolic_config
from tilewright.hdl.link.frame import MOST_PAYLOAD


@pytest.mark.parametrize("name", preset_names())
def test_presets_there_and_back(name: str) -> None:
    config = preset(name).config
    told = identity(config)
    assert len(told) <= MOST_PAYLOAD
    padded = configuration(told + bytes(MOST_PAYLOAD - len(told)))
    assert padded.model_copy(update={"module_name": config.module_name}) == config


def test_names_are_not_told() -> None:
    assert identity(systolic_config({"module_name": "mine"})) == identity(systolic_config({}))


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (b"", "an identity must begin with TILEWRIGHT1, got b''"),
        (b"AMARANTH demo", "an identity must begin with TILEWRIGHT1, got b'AMARANTH demo'"),
        (b"TILEWRIGHT1 00000000", "the identity of the design cannot be read: "),
        (b"TILEWRIGHT1 00000000 {", "the identity of the design cannot be read: "),
        (b'TILEWRIGHT1 00000000 {"rows":0}', "the identity of the design cannot be read: rows must be "),
        (b'TILEWRIGHT1 00000000 {"rows":4}', "the design was made by another version: its fields have digest 00000000"),
    ],
)
def test_what_is_no_identity(told: bytes, reason: str) -> None:
    with pytest.raises(UnknownDesign) as error:
        configuration(told)
    assert str(error.value).startswith(reason)


def test_the_longest_fits_into_a_frame() -> None:
    words = {"a_words": 65_535, "b_words": 65_535, "c_words": 65_535, "memory_limit_bits": 1 << 40}
    sizes = {"rows": 100, "cols": 100, "max_m": 10_001, "max_n": 10_001, "max_k": 10_001, "pipeline": 3, "vector": 2}
    formats = {"a": "uint12", "b": "uint12", "acc": "int40", "overflow": "saturate", "dataflow": "any"}
    assert len(identity(systolic_config(words | sizes | formats))) <= MOST_PAYLOAD
