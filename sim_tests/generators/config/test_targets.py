"""Targets that can be configured are those that the hardware knows."""

from typing import get_args

from tilewright.generators.config.systolic import TARGETS, SystolicConfig
from tilewright.hdl.arith import targets


def test_targets_are_those_of_the_hardware() -> None:
    assert TARGETS == targets.TARGETS == get_args(SystolicConfig.model_fields["target"].annotation)
