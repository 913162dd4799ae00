"""How a configuration is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.generators.config.errors import ConfigError
from tilewright.generators.config.systolic import systolic_config


def refusal(**fields: Any) -> str:
    """The words in which ``fields`` are refused."""
    with pytest.raises(ConfigError) as caught:
        systolic_config(fields)
    return str(caught.value)
