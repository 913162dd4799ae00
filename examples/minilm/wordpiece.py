"""WordPiece: text as numbers of tokens, as uncased BERT models take it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

LONGEST = 100  # characters of a word; a longer one is unknown
_CONTROLS = ("Cc", "Cf", "Co", "Cs")
_CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
        (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))  # fmt: skip


class WordPiece:
    """A tokenizer with the tokens of ``vocabulary``, whose places are their numbers.

    Text is made lower case and loses its accents; words end at white space, and each punctuation mark and each
    Chinese character is one. A word is cut from the left into the longest tokens there are, ``##`` before all but the
    first; one that cannot be cut so is ``[UNK]``.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.numbers = {token: number for number, token in enumerate(vocabulary)}

    @classmethod
    def read(cls, path: Path) -> Self:
        """The tokenizer of a ``vocab.txt``, one token a line."""
        return cls(path.read_text(encoding="utf-8").split("\n")[:-1])

    def __call__(self, text: str) -> list[int]:
        """Numbers of the tokens of ``text``, between those of ``[CLS]`` and ``[SEP]``."""
        return [self.numbers[token] for token in ("[CLS]", *self.tokens(text), "[SEP]")]

    def tokens(self, text: str) -> list[str]:
        """The tokens of ``text``."""
        return [token for word in words(text) for token in self._cut(word)]

    def _cut(self, word: str) -> list[str]:
        if len(word) > LONGEST:
            return ["[UNK]"]
        found: list[str] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            pieces = (prefix + word[start:end] for end in range(len(word), start, -1))
            longest = next((piece for piece in pieces if piece in self.numbers), None)
            if longest is None:
                return ["[UNK]"]
            found.append(longest)
            start += len(longest) - len(prefix)
        return found


def words(text: str) -> list[str]:
    """Words and marks of ``text``, in lower case and without accents."""
    cleaned = "".join(_cleaned(text))
    plain = unicodedata.normalize("NFD", cleaned.lower())
    plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if _is_mark(c) else c for c in plain).split()


def _cleaned(text: str) -> Iterator[str]:
    """Characters without those that control; white space as blanks, Chinese ones between blanks."""
    for c in text:
        if c in "\t\n\r" or unicodedata.category(c) == "Zs":
            yield " "
        elif c == "\ufffd" or unicodedata.category(c) in _CONTROLS:
            continue
        else:
            yield f" {c} " if any(low <= ord(c) <= high for low, high in _CJK) else c


def _is_mark(c: str) -> bool:
    """Whether ``c`` is punctuation; all of ASCII that is neither letter, digit nor blank counts as such."""
    return (c.isascii() and c.isprintable() and not c.isalnum() and c != " ") or unicodedata.category(c).startswith("P")
