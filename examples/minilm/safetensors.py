"""Files of the format safetensors, read with numpy alone: a length, a header in JSON, raw data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """The tensors of ``path`` by name; they are read from the file when they are used.

    Raises ValueError where it is no such file, or a tensor is of a type that numpy does not have.
    """
    data = np.memmap(path, dtype=np.uint8, mode="r")
    start = 8 + int.from_bytes(bytes(data[:8]), "little")
    if len(data) < 8 or start > len(data):
        raise ValueError(f"{path} must be a file of the format safetensors")
    header: dict[str, Any] = json.loads(bytes(data[8:start]))
    header.pop("__metadata__", None)
    return {name: _tensor(name, entry, data[start:]) for name, entry in header.items()}


def _tensor(name: str, entry: dict[str, Any], data: NDArray[np.uint8]) -> NDArray[Any]:
    if entry["dtype"] not in _TYPES:
        raise ValueError(f"tensor {name} must be of a type among {', '.join(_TYPES)}, got {entry['dtype']}")
    low, high = entry["data_offsets"]
    return data[low:high].view(_TYPES[entry["dtype"]]).reshape(entry["shape"])
