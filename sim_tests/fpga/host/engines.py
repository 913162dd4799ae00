"""The engines behind the tests of the driver: two that the system tests build."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.errors import ConfigError
from tilewright.sim_tests.system.engine_designs import gate_engines

INTEGERS = "ws_4x4"
FLOATS = "os_2x3_bf16"


def config_of(name: str) -> EngineConfig:
    """The configuration of an engine of the gate."""
    return gate_engines()[name].config


def accelerator(name: str, **options: Any) -> Accelerator:
    """An accelerator of its own; ``options`` are those of `Accelerator.simulate`."""
    return Accelerator.simulate(config_of(name), **{"memory_bytes": 1 << 22, **options})


def refuses(call: Callable[[], Any], sentence: str) -> None:
    """``call`` is refused with this sentence, which is one line."""
    with pytest.raises(ConfigError, match=re.escape(sentence)) as found:
        call()
    assert "\n" not in str(found.value)
    assert len(str(found.value)) < 300
