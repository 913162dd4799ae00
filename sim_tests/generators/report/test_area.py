"""Area of parts, and its goals for one processing element."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.report.area import Resources, area
from tilewright.generators.report.synthesis import Job, map_module
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.systolic.array import SystolicArray
from tilewright.hdl.systolic.parameters import CoreParameters


def config(**fields: Any) -> SystolicConfig:
    return systolic_config({"rows": 2, "cols": 3, "max_m": 8, "max_n": 8, "max_k": 8, "product": "array"} | fields)


def test_lut_equivalents_count_a_carry_pair_twice() -> None:
    found = Resources.of({"LUT4": 5, "CCU2C": 3, "TRELLIS_FF": 7, "MULT18X18D": 1, "PFUMX": 9})
    assert found == Resources(5, 3, 7, 1, 0, 0)
    assert found.lut4_eq == 11


def test_an_array_has_a_multiplier_an_element_and_adders_apart() -> None:
    told: list[str] = []
    element, array, lane = area(config(), "ecp5", told.append)
    assert (element.name, element.count, element.resources.dsp) == ("PE", 1, 1)
    assert (array.name, array.elements, array.resources.dsp) == ("array", 6, 6)
    assert (lane.name, lane.count, lane.resources.dsp, lane.resources.ff) == ("accumulator lane", 3, 0, 32)
    assert array.lut4_eq_per_pe == array.resources.lut4_eq / 6
    assert lane.lut4_eq_per_pe == lane.resources.lut4_eq / 2
    assert set(told) <= {"PE", "array", "accumulator lane"}


@pytest.mark.long  # sequencers and ports take minutes to map
def test_a_core_is_more_than_its_array() -> None:
    parts = {part.name: part.resources for part in area(config(product="core"), "ecp5")}
    assert list(parts) == ["PE", "array", "accumulator lane", "core"]
    assert parts["core"].dsp == parts["array"].dsp == 6
    assert parts["core"].lut4_eq > parts["array"].lut4_eq
    assert parts["core"].dpr16x4 > 0, "shallow scratchpads lie in LUT RAM"
    assert parts["array"].ebr == parts["array"].dpr16x4 == 0


@pytest.mark.parametrize(("dataflow", "most"), [("ws", 26), ("os", 70), ("any", 105)])
def test_an_element_of_the_8x8_array_is_small(dataflow: Any, most: int) -> None:
    int8 = IntFormat(8)
    element = CoreParameters(8, 8, dataflow, int8, int8, IntFormat(32), "wrap", 1, 1, 64, 64, 64).element
    emitter = Emitter("tw")
    emitter.emit(SystolicArray(element, 1, 1))
    sources = {module.name: module.text for module in emitter.modules()}
    found = Resources.of(map_module(Job(emitter.module_name(element), sources, "ecp5")).cells)
    assert (found.dsp, found.ebr, found.dpr16x4) == (1, 0, 0)
    assert found.lut4_eq <= most
