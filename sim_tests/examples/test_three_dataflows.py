"""The notebook runs, and shows what it gives."""

from __future__ import annotations

import json

from tilewright.sim_tests.examples.example import EXAMPLES
from tilewright.sim_tests.examples.notebook import executed, text_of

FILE = EXAMPLES / "three_dataflows.ipynb"


def test_the_outputs_kept_are_those_that_it_gives_now() -> None:
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    assert executed(kept) == kept, f"python -m tilewright.sim_tests.examples.notebook {FILE} writes them anew"


def test_outputs_and_numbers_are_written_as_jupyter_does() -> None:
    source = ["import sys\n", "print('a')\n", "1 + 1"]
    cells = [{"cell_type": "markdown", "source": ["x"]}, {"cell_type": "code", "source": source}]
    done = executed({"cells": [*cells, {"cell_type": "code", "source": ["y = 3\n", "print(sys.maxsize > y)"]}]})
    assert done["cells"][0] == cells[0]
    assert done["cells"][1]["outputs"] == [
        {"name": "stdout", "output_type": "stream", "text": ["a\n"]},
        {"data": {"text/plain": ["2"]}, "execution_count": 1, "metadata": {}, "output_type": "execute_result"},
    ]
    assert done["cells"][2]["execution_count"] == 2
    assert done["cells"][2]["outputs"][0]["text"] == ["True\n"]
    assert json.loads(text_of(done)) == done
