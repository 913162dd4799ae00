"""Failures that users of other projects reported, with what is right: ``sim_tests/data/field-cases.json``."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any

Case = dict[str, Any]


@lru_cache(maxsize=1)
def field_cases() -> dict[str, Case]:
    """All cases by their ids; each names its source and the symptom."""
    text = resources.files("tilewright.sim_tests").joinpath("data", "field-cases.json").read_text()
    return {case["id"]: case for case in json.loads(text)}


def products() -> dict[str, Case]:
    """The cases that are one integer product."""
    return {name: case for name, case in field_cases().items() if case["kind"] == "gemm_int"}
