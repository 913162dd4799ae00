"""The report for continuous integration."""

from __future__ import annotations

from xml.etree import ElementTree

from tilewright.sim_tests.verify.junit import junit
from tilewright.sim_tests.verify.outcome import Outcome
from tilewright.sim_tests.verify.tests import TESTS


def test_passes_failures_and_counts() -> None:
    good = Outcome(TESTS["smoke"], 3, 75, 0, 0, 79, 269, 0.5)
    bad = Outcome(TESTS["cycles"], 1, 0, 0, 0, 0, 40, 0.25, "C[0, 0]: expected <1>, got 2\nmore")
    root = ElementTree.fromstring(junit("my core", 5, [good, bad]))
    (suite,) = root
    assert suite.attrib == {
        "name": "tilewright verify my core", "tests": "2", "failures": "1", "errors": "0", "time": "0.750",
    }  # fmt: skip
    assert [(p.get("name"), p.get("value")) for p in suite.findall("properties/property")] == [("seed", "5")]
    passed, failed = suite.findall("testcase")
    assert (passed.get("name"), passed.get("classname"), passed.find("failure")) == ("smoke", "my core", None)
    assert {p.get("name"): p.get("value") for p in passed.findall("properties/property")}["stalls"] == "79"
    failure = failed.find("failure")
    assert failure is not None
    assert failure.get("message") == "C[0, 0]: expected <1>, got 2"
    assert failure.text == "C[0, 0]: expected <1>, got 2\nmore"
