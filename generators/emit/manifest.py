"""The manifest: all that a program may want to know of the output."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from amaranth.lib import data

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.interface import FIELDS, Interface, Stream, layouts
from tilewright.generators.emit.latency import formulas
from tilewright.generators.emit.module import VerilogModule
from tilewright.hdl.systolic.parameters import Dataflow
from tilewright.hdl.systolic.records import Start, Status


def manifest(
    config: SystolicConfig,
    outside: Interface,
    modules: Sequence[VerilogModule],
    files: Mapping[str, str],
    bench_cycles: int,
) -> str:
    """JSON text. ``row_module`` is the module that simulators should compile once (``no_inline``); ``bench_cycles``
    is when benches give up."""
    name = config.module_name
    document: dict[str, Any] = {
        "tool": "tilewright",
        "version": version("tilewright"),
        "command": canonical_command(config),
        "module": name,
        "row_module": f"{name}_row_{config.cols}",
        "modules": [module.name for module in modules],
        "parameters": config.model_dump(mode="json", exclude={"memory_limit_bits"}),
        "safe_k": config.safe_k,
        "latency": [asdict(formula) for formula in formulas(config)],
        "ports": [asdict(port) for port in outside.ports],
    }
    if outside.streams:
        document |= {
            "scratchpads": {pad: asdict(geometry) for pad, geometry in vars(config.scratchpads).items()},
            "streams": [_stream(stream) for stream in outside.streams],
            "layouts": {record: _fields(layout) for record, layout in layouts(config).items()},
            "status": {status.name: status.value for status in Status},
            "start": {start.name: start.value for start in Start},
            "dataflow": {flow.name: flow.value for flow in Dataflow},
        }
    document["bench_cycles"] = bench_cycles
    document["files"] = {
        file: {"bytes": len(text.encode()), "sha256": hashlib.sha256(text.encode()).hexdigest()}
        for file, text in files.items()
    }
    return json.dumps(document, indent=2) + "\n"


def _stream(stream: Stream) -> dict[str, Any]:
    signals = {part: f"{stream.name}_t{part}" for part in (*dict(stream.parts), "valid", "ready")}
    return {
        "name": stream.name,
        "direction": stream.direction,
        "meaning": stream.meaning,
        "carries": stream.carries,
        "lanes": stream.lanes,
        "format": stream.format,
        "signals": signals,
        "widths": dict(stream.parts),
    }


def _fields(layout: data.StructLayout) -> list[dict[str, Any]]:
    return [
        {"name": name, "low": layout[name].offset, "width": layout[name].width, "meaning": FIELDS[name]}
        for name in layout.members
    ]
