"""Runs a notebook without Jupyter: cells in order in one namespace, what they print and return kept as their outputs.

Jupyter's own runner would bring some thirty packages and a socket library for what is a few lines here. The notebook
is an ordinary one; people open it in Jupyter. ``python -m tilewright.sim_tests.examples.notebook FILE`` writes its
outputs anew.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """``notebook`` with the outputs that its cells give now. Exceptions of a cell end it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell = cell | {"execution_count": count, "outputs": _outputs("".join(cell["source"]), count, names)}
        cells.append(cell)
    return notebook | {"cells": cells}


def _outputs(source: str, count: int, names: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {count}>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"<cell {count}>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append(
            {"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)}
        )
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        outputs.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return outputs


def text_of(notebook: dict[str, Any]) -> str:
    """The file of ``notebook``."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(text_of(executed(json.loads(file.read_text(encoding="utf-8")))), encoding="utf-8")
