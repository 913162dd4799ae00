"""Tables that are written as case statements do what their Amaranth elaboration does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.generators.emit.yosys import YosysFailed
from tilewright.hdl.arith.functions import Rom
from tilewright.sim_tests.generators.emit.test_regular import prove

WORDS = {"two words": (1, 2), "five words": (7, 0, 3, 3, 12), "eight words": (1, 2, 3, 4, 5, 6, 7, 0)}


@pytest.mark.parametrize("words", WORDS)
def test_a_table_equals_its_elaboration(words: str, tmp_path: Path) -> None:
    prove(Rom("rom", WORDS[words], 4), tmp_path)


def test_a_wrong_word_is_found(tmp_path: Path) -> None:
    with pytest.raises(YosysFailed, match="proof did fail"):
        prove(Rom("rom", WORDS["five words"], 4), tmp_path, "4'h3", "4'h2")
