"""The manifest of an engine: all that a program may want to know of the output."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.engine import constants
from tilewright.generators.emit.engine_map import causes, registers
from tilewright.generators.emit.engine_ports import engine_ports
from tilewright.generators.emit.instruction_fields import Record, records
from tilewright.generators.emit.module import VerilogModule
from tilewright.hdl.engine.packet_faults import PacketFault
from tilewright.hdl.engine.records import Activation, Finishing, Opcode, Target
from tilewright.hdl.engine.register_map import Register
from tilewright.hdl.numeric import container_bytes
from tilewright.hdl.systolic.parameters import Dataflow
from tilewright.hdl.systolic.records import Start, Status


def engine_manifest(config: EngineConfig, modules: Sequence[VerilogModule], files: Mapping[str, str]) -> str:
    """JSON text."""
    enumerations: dict[str, Iterable[Any]] = {
        "opcode": Opcode,
        "target": Target,
        "finishing": Finishing,
        "activation": Activation,
    }
    enumerations |= {"start": Start, "dataflow": Dataflow, "cause": causes(config), "status": Status}
    if config.streams:
        enumerations["packet_fault"] = PacketFault
    formats = {"a": config.a, "b": config.b, "acc": config.acc, "result": config.result}
    document: dict[str, Any] = {
        "tool": "tilewright",
        "version": version("tilewright"),
        "command": canonical_command(config),
        "module": config.module_name,
        "row_module": f"{config.module_name}_row_{config.cols}",
        "modules": [module.name for module in modules],
        "parameters": config.model_dump(mode="json", exclude={"memory_limit_bits"}),
        "safe_k": config.safe_k,
        "ports": [asdict(port) for port in engine_ports(modules[-1])],
        "scratchpads": {pad: asdict(geometry) for pad, geometry in vars(config.scratchpads).items()},
        "memory_bytes": config.memory_bytes,
        "container_bytes": {name: container_bytes(fmt) for name, fmt in formats.items()},
        "constants": constants(config),
        "registers": [_register(register) for register in registers(config)],
        "instructions": {name: _fields(record) for name, record in records().items()},
    }
    document |= {name: {value.name: value.value for value in values} for name, values in enumerations.items()}
    document["files"] = {
        file: {"bytes": len(text.encode()), "sha256": hashlib.sha256(text.encode()).hexdigest()}
        for file, text in files.items()
    }
    return json.dumps(document, indent=2) + "\n"


def _register(register: Register) -> dict[str, Any]:
    told = asdict(register)
    for each in (told, *told["fields"]):
        del each["many"]
    return told


def _fields(record: Record) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "low": field.offset,
            "width": field.width,
            "signed": field.signed,
            "meaning": record.meanings[name],
        }
        for name, field in record.fields.items()
    ]
