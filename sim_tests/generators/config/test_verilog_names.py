"""The keyword list against an independent SystemVerilog front end."""

from __future__ import annotations

import pytest
from pyslang.parsing import TokenKind
from pyslang.syntax import SyntaxTree

from tilewright.generators.config.verilog_names import KEYWORDS, TAKEN, is_free_identifier, nearest_identifier
from tilewright.sim_tests.harness.bench_sources import BENCH


def parses(name: str) -> bool:
    return len(SyntaxTree.fromText(f"module {name}; endmodule").diagnostics) == 0


def test_every_keyword_is_one() -> None:
    assert [word for word in sorted(KEYWORDS) if parses(word)] == []


def test_no_keyword_is_missing() -> None:
    assert len(KEYWORDS) == sum(name.endswith("Keyword") for name in dir(TokenKind))


def test_the_bench_around_a_core_has_a_name_of_its_own() -> None:
    assert BENCH in TAKEN


@pytest.mark.parametrize("name", ["a", "_", "tilewright_gemm", "Module", "top", "STD", "x" * 64])
def test_free_names(name: str) -> None:
    assert is_free_identifier(name)
    assert parses(name)


@pytest.mark.parametrize("name", ["module", *TAKEN, "1x", "", "a-b", "a$b", " a", "a\n", "x" * 65, "é"])
def test_a_name_that_is_not_free_gets_one_that_is(name: str) -> None:
    assert not is_free_identifier(name)
    assert is_free_identifier(nearest_identifier(name))
