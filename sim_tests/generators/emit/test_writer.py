"""What is written is what the netlist says: proven for every module that is not written as a loop."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.emit import operators
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
