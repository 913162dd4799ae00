"""Area of parts, and its goals for one processing element."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.report.area import Resources, area
from tilewright.generators.report.parts import pieces
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


@pytest.mark.parametrize("overflow", ["wrap", "saturate"])
def test_an_array_is_its_elements_and_a_rest(overflow: str) -> None:
    told: list[str] = []
    array, element, rest = area(config(overflow=overflow), "ecp5", told.append)
    assert (array.name, array.within, array.count, array.elements, array.resources.dsp) == ("array", "", 1, 6, 6)
    assert (element.name, element.within, element.count, element.resources.dsp) == ("PE", "array", 6, 1)
    assert (rest.name, rest.within, rest.resources.dsp) == ("rest of array", "array", 0)
    assert 6 * element.resources.ff + rest.resources.ff == array.resources.ff
    assert 6 * element.resources.lut4_eq + rest.resources.lut4_eq == array.resources.lut4_eq
    assert array.lut4_eq_per_pe == array.resources.lut4_eq / 6
    assert element.lut4_eq_per_pe == element.resources.lut4_eq
    assert set(told) <= {"PE", "array"}


def test_only_what_is_asked_for_is_mapped() -> None:
    (lane,) = area(config(product="core"), "ecp5", only=("accumulator lane",))
    assert (lane.within, lane.count, lane.resources.dsp, lane.resources.ff) == ("core", 3, 0, 32)
    assert lane.lut4_eq_per_pe == lane.resources.lut4_eq / 2
    (start,) = area(config(product="core", overflow="saturate"), "ecp5", only=("start multiplexer",))
    assert (start.within, start.count, start.resources.ccu2c, start.resources.ff) == ("core", 3, 0, 0)


PARTS = {
    "core": 1, "array": 1, "PE": 6, "accumulator lane": 3, "scratchpad A": 1, "scratchpad B": 1, "region of C": 2,
    "command decoder": 1, "commands in flight": 1, "sequencer of streams": 1, "sequencer of tiles": 1,
    "sequencer of C": 2, "controls of the array": 1, "load port of A": 1, "load port of B": 1, "load port of C": 1,
    "read port of C": 1,
}  # fmt: skip


@pytest.mark.parametrize("acc", ["fp32", "fx48"])
@pytest.mark.parametrize("dataflow", ["ws", "any"])
def test_every_part_of_a_core_of_floats_is_a_module_of_it(dataflow: str, acc: str) -> None:
    small = {"rows": 2, "cols": 2, "max_m": 8, "max_n": 8, "max_k": 8}
    found = pieces(systolic_config({"a": "bf16", "acc": acc, "dataflow": dataflow, **small}))
    assert {piece.top for piece in found.parts} <= found.sources.keys()
    assert "start multiplexer" in {piece.name for piece in found.parts}


@pytest.mark.parametrize("dataflow", ["ws", "os", "is", "any"])
def test_the_parts_of_a_core_are_all_that_is_in_it(dataflow: str) -> None:
    design = config(product="core", dataflow=dataflow)
    found = pieces(design)
    missing = {"sequencer of tiles"} if dataflow == "os" else set()  # it holds nothing
    assert {piece.name: piece.count for piece in found.parts} == {n: c for n, c in PARTS.items() if n not in missing}
    prefix = design.module_name
    placed = re.findall(rf"^  {prefix}_(\w+) \w+ \($", found.sources[f"{prefix}_core"], re.M)
    tops = {piece.top for piece in found.parts}
    lanes = {name for name in placed if re.fullmatch(r"accumulator_\w+_by_3", name)}
    between = {name for name in placed if re.match(r"(delay|mask)_", name)}
    assert len(lanes) == 1 and between
    assert {f"{prefix}_{name}" for name in set(placed) - lanes - between} == tops - {prefix} - {
        piece.top for piece in found.parts if piece.name in ("PE", "accumulator lane")
    }


def test_where_steps_saturate_a_column_has_a_start_multiplexer() -> None:
    found = pieces(config(product="core", overflow="saturate"))
    (lane,) = (piece for piece in found.parts if piece.name in ("accumulator lane", "start multiplexer"))
    assert (lane.name, lane.count) == ("start multiplexer", 3)
    assert found.sources[lane.top].startswith("// What one lane of C starts from")


@pytest.mark.long  # sequencers and ports take minutes to map
def test_a_core_is_more_than_its_array() -> None:
    found = area(config(product="core"), "ecp5")
    parts = {part.name: part.resources for part in found}
    assert list(parts) == [*list(PARTS)[:3], "rest of array", *list(PARTS)[3:], "rest of core"]
    inside = [part.resources * part.count for part in found if part.within == "core"]
    for cells in ("lut4", "ccu2c", "ff", "dsp", "ebr", "dpr16x4"):
        assert sum(getattr(part, cells) for part in inside) == getattr(parts["core"], cells)
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
