"""What is written is what the netlist says: proven for every module that is not written as a loop."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit import operators
from tilewright.generators.emit.elaborate import modules as elaborated
from tilewright.generators.emit.yosys import YosysFailed
from tilewright.sim_tests.generators.emit.equivalence import prove_design

DESIGNS = [
    {"rows": 4, "cols": 4, "dataflow": "any"},
    {"rows": 3, "cols": 5, "dataflow": "is", "vector": 2, "a": "uint4", "b": "int6"},
    {"rows": 5, "cols": 2, "dataflow": "os", "overflow": "saturate", "pipeline": 0, "a": "int3", "b": "int3"},
    {"rows": 2, "cols": 4, "dataflow": "ws", "vector": 4, "pipeline": 3, "a": "uint4", "b": "uint2"},
]


@pytest.mark.parametrize("fields", DESIGNS, ids=lambda fields: fields["dataflow"])
def test_written_modules_equal_their_netlists(fields: dict[str, Any]) -> None:
    assert prove_design(systolic_config(fields)) > 20


def test_a_wrong_module_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(operators._SUMS, "$sub", "+")
    with pytest.raises(YosysFailed, match=r"Found \d+ unproven \$equiv cells"):
        prove_design(systolic_config(DESIGNS[0]))


def test_values_of_enumerations_have_their_names() -> None:
    modules = {
        module.name: module.text for module in elaborated(systolic_config({"dataflow": "any", "product": "core"}))
    }
    port = modules["tilewright_gemm_load_c"]
    assert "localparam [2:0] STATE_CHECK = 3'd1;" in port
    assert "state <= STATE_CHECK;" in port and "(state == STATE_CHECK)" in port
    assert "? STATUS_OUT_OF_RANGE :" in port
    assert "takes_os = command_dataflow == DATAFLOW_OS;" in modules["tilewright_gemm_streamer"]


def test_every_module_says_what_it_is() -> None:
    modules = elaborated(systolic_config({"dataflow": "any", "product": "core"}))
    assert [m.name for m in modules if not re.match(r"(// \S.*\n)+module ", m.text)] == []
    nest = next(m.text for m in modules if "_nest_" in m.name)
    assert nest.startswith("// Three nested loops over tiles: counts down what is left of each extent,")
