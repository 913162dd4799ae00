"""Writers of words, in a sequential run and in others."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.generators.reference.engine_machine import EngineError
from tilewright.generators.reference.engine_records import Entry, Op
from tilewright.generators.reference.engine_versions import Versions

FIRST, SECOND, READER = Entry(1, Op.LOAD, 0, 0, {}), Entry(2, Op.LOAD, 0, 0, {}), Entry(3, Op.GEMM, 0, 0, {})
WORDS = np.arange(4, 8)


def sequential() -> Versions:
    versions = Versions()
    versions.begin(sequential=True)
    versions.writes(FIRST, ("a0", WORDS))
    versions.reads(READER, ("a0", WORDS))
    versions.writes(SECOND, ("a0", WORDS[2:]))
    versions.begin(sequential=False)
    return versions


def test_the_same_order() -> None:
    versions = sequential()
    versions.writes(FIRST, ("a0", WORDS))
    versions.writes(SECOND, ("b0", WORDS))
    versions.reads(READER, ("a0", WORDS))


def test_a_word_read_too_early() -> None:
    with pytest.raises(
        EngineError, match=r"^race: instruction 3 \(GEMM\) reads a0\[4\] as nobody left it, not as instruction 1 does$"
    ):
        sequential().reads(READER, ("a0", WORDS))


def test_a_word_overwritten_too_early() -> None:
    versions = sequential()
    versions.writes(FIRST, ("a0", WORDS))
    versions.writes(SECOND, ("a0", WORDS[2:]))
    with pytest.raises(EngineError, match=r"reads a0\[6\] as instruction 2 left it, not as instruction 1 does$"):
        versions.reads(READER, ("a0", WORDS))
