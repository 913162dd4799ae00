"""Outcomes as JUnit XML, which continuous integration systems read."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from tilewright.sim_tests.verify.outcome import Outcome


def junit(subject: str, seed: int, outcomes: Sequence[Outcome]) -> str:
    """The report of one verification; ``seed`` and counts are properties."""
    failed = sum(not outcome.passed for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    root = ElementTree.Element("testsuites")
    counts = {"tests": str(len(outcomes)), "failures": str(failed), "errors": "0", "time": f"{seconds:.3f}"}
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"tilewright verify {subject}", **counts})
    _properties(suite, {"seed": seed})
    for outcome in outcomes:
        attributes = {"classname": subject, "name": outcome.test.name, "time": f"{outcome.seconds:.3f}"}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        told = ("commands", "compared", "points", "refused", "stalls", "cycles")
        _properties(case, {name: getattr(outcome, name) for name in told})
        if not outcome.passed:
            failure = ElementTree.SubElement(case, "failure", {"message": outcome.reason.splitlines()[0]})
            failure.text = outcome.reason
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _properties(parent: ElementTree.Element, values: dict[str, int]) -> None:
    properties = ElementTree.SubElement(parent, "properties")
    for name, value in values.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": str(value)})
