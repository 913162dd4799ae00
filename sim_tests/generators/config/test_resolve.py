"""Fields over those of a preset or a model."""

import pytest

from tilewright.generators.config.resolve import Config, resolve


def numbers(config: Config, **fields: object) -> tuple[str, str, str]:
    found = resolve(config, fields)
    return str(found.a), str(found.b), str(found.acc)


def test_a_float_operand_over_integers_brings_what_goes_with_it() -> None:
    assert numbers("ws-8x8-int8", a="bf16") == ("bf16", "bf16", "fp32")
    assert numbers("ws-8x8-int8-saturate", b="fp16", acc="fx40") == ("fp16", "fp16", "fx40")
    assert numbers(resolve("os-8x8-bf16", {}), a="int4", acc="int20") == ("int4", "int8", "int20")


@pytest.mark.parametrize("name", ["ws-8x8-int8", "ws-8x8-bf16"])
def test_an_operand_of_the_same_kind_leaves_the_others_alone(name: str) -> None:
    old = numbers(name)
    new = "int4" if "int" in name else "fp16"
    assert numbers(name, a=new) == (new, *old[1:])
