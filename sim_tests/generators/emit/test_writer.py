"""What is written is what the netlist says: proven for every module that is not written as a loop."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROVE = """
import json, sys
from tilewright.generators.config.systolic import systolic_config
from tilewright.sim_tests.generators.emit.equivalence import prove_design
print(prove_design(systolic_config(json.loads(sys.argv[1]))))
"""
DESIGNS = [
    {"rows": 4, "cols": 4, "dataflow": "any"},
    {"rows": 3, "cols": 5, "dataflow": "is", "vector": 2, "a": "uint4", "b": "int6"},
    {"rows": 5, "cols": 2, "dataflow": "os", "overflow": "saturate", "pipeline": 0, "a": "int3", "b": "int3"},
    {"rows": 2, "cols": 4, "dataflow": "ws", "vector": 4, "pipeline": 3, "a": "uint4", "b": "uint2"},
]


@pytest.mark.parametrize("fields", DESIGNS, ids=lambda fields: fields["dataflow"])
def test_written_modules_equal_their_netlists(fields: dict[str, object]) -> None:
    # In a process of its own: Yosys ends the process it runs in when a proof fails.
    command = [sys.executable, "-c", PROVE, json.dumps(fields)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 20


def test_a_wrong_module_is_found() -> None:
    code = PROVE.replace("print(", "import tilewright.generators.emit.operators as o\no._SUMS['$sub'] = '+'\nprint(")
    command = [sys.executable, "-c", code, json.dumps(DESIGNS[0])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    # Yosys ends the process, without a word, where a proof fails; Python would leave a traceback.
    assert done.returncode == 1 and not done.stdout and "Traceback" not in done.stderr, done.stderr[-500:]
