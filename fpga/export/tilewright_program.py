"""A matrix product as a program of a Tilewright engine, from the description of the engine alone.

One step after the other, on the first core: plain to read, and not the fastest. Needs nothing but Python, 3.9 or newer.
"""

from __future__ import annotations

from itertools import product
from typing import Any

_TOKENS = ("A_IN", "B_IN", "START_IN", "LOADS_FREE", "C_READY", "C_FREE")
_PLAIN_ROWS = 65535  # of a tensor that is a plain matrix
_INSTRUCTION_BYTES = 64


def product_program(
    description: dict[str, Any], shape: tuple[int, int, int], a: int, b: int, bias: int | None, c: int
) -> bytes:
    """The program of ``c = bias + a @ b``, 64 bytes an instruction.

    Args:
        description: what the .json file of the engine tells.
        shape: M, N, K, each at least 1; A is M x K, B is K x N, C is M x N, the bias N accumulators.
        a, b, bias, c: byte addresses of rows that follow each other in memory, in the engine's containers; without a
            bias sums start from zero.
    """
    return _Product(description, shape, a, b, bias, c).program()


class _Product:
    """Tiles of C, each computed from its first to its last step of K."""

    def __init__(
        self, told: dict[str, Any], shape: tuple[int, int, int], a: int, b: int, bias: int | None, c: int
    ) -> None:
        self.told, self.shape = told, shape
        self.a, self.b, self.bias, self.c = a, b, bias, c
        self.tile = _tile(told, *shape)
        size = told["container_bytes"]
        self.pitch = {"a": shape[2] * size["a"], "b": shape[1] * size["b"], "acc": shape[1] * size["acc"]}
        self.bias_base = self.tile[0] * -(-self.tile[1] // told["scratchpads"]["c"]["lanes"])
        flow = told["parameters"]["dataflow"].upper()
        self.dataflow = told["dataflow"]["WS" if flow == "ANY" else flow]

    def program(self) -> bytes:
        """All instructions."""
        m, n, k = self.shape
        size, tile_m, tile_n, tile_k = self.told["container_bytes"], *self.tile
        code = [
            self._tensor("LOAD_TENSOR", 0, k, "a"),
            self._tensor("LOAD_TENSOR", 1, n, "b"),
            self._tensor("LOAD_TENSOR", 2, n, "acc"),
            self._tensor("STORE_TENSOR", 0, n, "acc"),
        ]
        places = list(product(range(0, m, tile_m), range(0, n, tile_n)))
        for number, (top, left) in enumerate(places):
            rows, cols = min(tile_m, m - top), min(tile_n, n - left)
            first, last = number == 0, number == len(places) - 1
            ready = () if first else ("C_FREE",)
            if self.bias is not None:
                start = self.bias + left * size["acc"]
                code.append(self._load("C", 2, start, 1, cols, ready, ("START_IN",), self.bias_base))
                ready = ("START_IN",)
            for deep in range(0, k, tile_k):
                depth, ends = min(tile_k, k - deep), deep + tile_k >= k
                at_a = self.a + top * self.pitch["a"] + deep * size["a"]
                at_b = self.b + deep * self.pitch["b"] + left * size["b"]
                free = () if first and deep == 0 else ("LOADS_FREE",)
                code.append(self._load("A", 0, at_a, rows, depth, free, ("A_IN",)))
                code.append(self._load("B", 1, at_b, depth, cols, (), ("B_IN",)))
                gives = (*(() if last and ends else ("LOADS_FREE",)), *(("C_READY",) if ends else ()))
                code.append(self._gemm((rows, cols, depth), deep == 0, ready if deep == 0 else (), gives))
            box = {"slot": 0, "rows": rows, "cols": cols}
            box["address"] = self.c + top * self.pitch["acc"] + left * size["acc"]
            code.append(self._instruction("STORE", "BOX", box, ("C_READY",), () if last else ("C_FREE",)))
        return b"".join([*code, self._instruction("END", "HEAD", {})])

    def _gemm(self, extents: tuple[int, int, int], begins: bool, waits: Any, gives: Any) -> bytes:
        start = "ACCUMULATE" if not begins else "ZERO" if self.bias is None else "BIAS"
        m, n, k = extents
        fields = {"m": m, "n": n, "k": k, "dataflow": self.dataflow, "start": self.told["start"][start]}
        fields["bias_base"] = self.bias_base if start == "BIAS" else 0
        return self._instruction("GEMM", "GEMM", fields, ("A_IN", "B_IN", *waits), gives)

    def _load(
        self, target: str, slot: int, address: int, rows: int, cols: int, waits: Any, gives: Any, base: int = 0
    ) -> bytes:
        box = {"target": self.told["target"][target], "slot": slot, "address": address, "rows": rows, "cols": cols}
        return self._instruction("LOAD", "BOX", box | {"base": base}, waits, gives)

    def _tensor(self, opcode: str, slot: int, cols: int, operand: str) -> bytes:
        """A plain matrix, its rows behind each other."""
        fields = {"slot": slot, "line": cols, "tap_x_count": 1, "out_x_count": _PLAIN_ROWS}
        fields |= {"out_x_stride": self.pitch[operand], "out_y_count": 1, "x_size": 1, "y_size": 1}
        return self._instruction(opcode, "TENSOR", fields)

    def _instruction(self, opcode: str, record: str, fields: dict[str, int], waits: Any = (), gives: Any = ()) -> bytes:
        """``record``: what the instruction has behind its head."""
        head = {"opcode": self.told["opcode"][opcode]}
        for name, tokens in (("waits", waits), ("gives", gives)):
            head[name] = sum(1 << _TOKENS.index(token) for token in tokens)
        word = 0
        for part, values in (("HEAD", head), (record, fields)):
            places = {place["name"]: place for place in self.told["instructions"][part]}
            for name, value in values.items():
                word |= (value & (1 << places[name]["width"]) - 1) << places[name]["low"]
        return word.to_bytes(_INSTRUCTION_BYTES, "little")


def _tile(told: dict[str, Any], m: int, n: int, k: int) -> tuple[int, int, int]:
    """Extents of tiles that fit into the scratchpads: those of the product, the largest halved until they do.

    K goes by whole vectors, so that sums are the same however it is cut.
    """
    pads, vector = told["scratchpads"], told["parameters"]["vector"]
    tile = [min(m, _PLAIN_ROWS), min(n, _PLAIN_ROWS), min(-(-k // vector), _PLAIN_ROWS // vector)]
    while True:
        rows, cols, groups = tile
        heights = {"a": (rows, groups), "b": (groups, cols), "c": (rows + 1, cols)}
        if all(high * -(-wide // pads[name]["lanes"]) <= pads[name]["words"] for name, (high, wide) in heights.items()):
            return rows, cols, groups * vector
        largest = max(range(3), key=tile.__getitem__)
        tile[largest] = -(-tile[largest] // 2)
