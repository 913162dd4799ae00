"""The models count as the hardware's records do."""

from __future__ import annotations

from enum import IntEnum

import pytest

from tilewright.generators.reference import records
from tilewright.hdl.systolic import parameters
from tilewright.hdl.systolic import records as hardware


@pytest.mark.parametrize(
    ("model", "rtl"),
    [
        (records.Dataflow, parameters.Dataflow),
        (records.Start, hardware.Start),
        (records.Status, hardware.Status),
    ],
)
def test_numbers_are_those_of_the_hardware(model: type[IntEnum], rtl: type[IntEnum]) -> None:
    assert {item.name: item.value for item in model} == {item.name: item.value for item in rtl}
