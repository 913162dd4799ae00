"""The network: a BERT encoder in numpy, whose matrix products somebody else does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

KINDS = ("Q", "K", "V", "scores", "context", "output", "FFN up", "FFN down")
EPSILON = 1e-12  # of layer norm


class Products(Protocol):
    """Who does the products of matrices. ``kind`` is one of `KINDS`."""

    def linear(self, layer: int, kind: str, x: Array, weights: Array) -> Array:
        """``x @ weights``: rows of all sentences (M x K), and weights that are always the same (K x N)."""
        ...

    def heads(self, layer: int, kind: str, a: Array, b: Array) -> Array:
        """``a @ b`` of each head, (heads, M, K) and (heads, K, N)."""
        ...


class FloatProducts:
    """Products in numpy's floats."""

    def linear(self, layer: int, kind: str, x: Array, weights: Array) -> Array:
        """See `Products`."""
        return x @ weights

    def heads(self, layer: int, kind: str, a: Array, b: Array) -> Array:
        """See `Products`."""
        return a @ b


@dataclass(frozen=True)
class Encoder:
    """Sentences as unit vectors: the mean of what the last layer makes of their tokens.

    ``tensors`` have the names that BERT's have; ``heads``: of attention, in each layer.
    """

    tensors: Mapping[str, Array]
    heads: int

    @property
    def layers(self) -> int:
        """How many there are."""
        return sum(name.endswith(".intermediate.dense.bias") for name in self.tensors)

    def encode(self, sentences: Sequence[Sequence[int]], products: Products) -> Array:
        """A row for each of ``sentences``, numbers of tokens. Linear layers take the rows of all of them at once."""
        ends = np.cumsum([len(sentence) for sentence in sentences])[:-1]
        x = np.concatenate([self._embedded(sentence) for sentence in sentences])
        for layer in range(self.layers):
            x = self._layer(layer, x, ends, products)
        means = np.stack([rows.mean(axis=0) for rows in np.split(x, ends)])
        return means / np.linalg.norm(means, axis=1, keepdims=True)

    def _embedded(self, sentence: Sequence[int]) -> Array:
        words, places, kinds = (self._tensor(f"embeddings.{n}_embeddings.weight") for n in _EMBEDDINGS)
        return self._norm("embeddings.LayerNorm", words[list(sentence)] + places[: len(sentence)] + kinds[0])

    def _layer(self, layer: int, x: Array, ends: Array, products: Products) -> Array:
        name = f"encoder.layer.{layer}"

        def dense(kind: str, part: str, rows: Array) -> Array:
            weights = self._tensor(f"{name}.{part}.dense.weight" if "self" not in part else f"{name}.{part}.weight")
            bias = self._tensor(f"{name}.{part}.dense.bias" if "self" not in part else f"{name}.{part}.bias")
            return products.linear(layer, kind, rows, weights.T) + bias

        q, k, v = (dense(kind, f"attention.self.{part}", x) for kind, part in _ATTENTION)
        parts = zip(*(np.split(each, ends) for each in (q, k, v)), strict=True)
        context = np.concatenate([self._attention(layer, *each, products) for each in parts])
        x = self._norm(f"{name}.attention.output.LayerNorm", x + dense("output", "attention.output", context))
        inner = gelu(dense("FFN up", "intermediate", x))
        return self._norm(f"{name}.output.LayerNorm", x + dense("FFN down", "output", inner))

    def _attention(self, layer: int, q: Array, k: Array, v: Array, products: Products) -> Array:
        """Of one sentence: each of its tokens looks at all of them."""
        length, width = q.shape
        q, k, v = (each.reshape(length, self.heads, -1).transpose(1, 0, 2) for each in (q, k, v))
        scores = products.heads(layer, "scores", q, k.transpose(0, 2, 1)) / np.sqrt(width / self.heads)
        context = products.heads(layer, "context", softmax(scores), v)
        return context.transpose(1, 0, 2).reshape(length, width)

    def _norm(self, name: str, x: Array) -> Array:
        """Layer norm: rows of mean 0 and variance 1, scaled and moved."""
        centred = x - x.mean(axis=1, keepdims=True)
        deviation = np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + EPSILON)
        return centred / deviation * self._tensor(f"{name}.weight") + self._tensor(f"{name}.bias")

    def _tensor(self, name: str) -> Array:
        return self.tensors[name]


_EMBEDDINGS = ("word", "position", "token_type")
_ATTENTION = (("Q", "query"), ("K", "key"), ("V", "value"))


def softmax(scores: Array) -> Array:
    """Of the last axis."""
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


def gelu(x: Array) -> Array:
    """``x`` times the normal distribution's share below it."""
    return x * 0.5 * (1 + _erf(x / np.sqrt(2)))


def _erf(x: Array) -> Array:
    """The error function; Abramowitz and Stegun 7.1.26, to 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - series * np.exp(-np.square(x)))
