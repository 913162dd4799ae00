"""Every field of the configuration is an option with the model's own words."""

from __future__ import annotations

import inspect

from tilewright.generators.commands.options import config_values, with_config_options
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.systolic import SystolicConfig


def test_every_field_is_an_option_and_only_given_ones_are_passed() -> None:
    received: list[dict[str, object]] = []

    def command(name: str, **fields: object) -> None:
        """Words."""
        received.append({"name": name, **fields})

    wrapped = with_config_options(command)
    parameters = inspect.signature(wrapped).parameters
    assert set(parameters) == {"name", *SystolicConfig.model_fields}
    assert (wrapped.__name__, wrapped.__doc__) == ("command", "Words.")
    wrapped(name="x", **(dict.fromkeys(SystolicConfig.model_fields) | {"rows": "4", "a": "int4"}))
    assert received == [{"name": "x", "rows": 4, "a": "int4"}]


def test_every_field_of_an_engine_is_an_option_but_the_product() -> None:
    received: list[dict[str, object]] = []

    def command(**fields: object) -> None:
        """Words."""
        received.append(fields)

    wrapped = with_config_options(command, EngineConfig)
    parameters = inspect.signature(wrapped).parameters
    assert set(parameters) == {*EngineConfig.model_fields} - {"product", "in_flight"}
    wrapped(**(dict.fromkeys(parameters) | {"bus_bits": "64", "gelu": True, "adds": False, "result": "int4"}))
    assert received == [{"bus_bits": 64, "gelu": True, "adds": False, "result": "int4"}]


def test_words_become_numbers_where_numbers_are_meant() -> None:
    given = {"rows": "12", "cols": "1.5", "vector": "4", "max_k": "abc", "module_name": "7", "overflow": None}
    assert config_values(given) == {"rows": 12, "cols": 1.5, "vector": 4, "max_k": "abc", "module_name": "7"}
