"""JSON Schema of the configuration, with which editors complete and check the TOML files."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.hdl.numeric import FloatFormat, FxFormat, IntFormat


class _Generate(GenerateJsonSchema):
    schema_dialect = "https://json-schema.org/draft/2020-12/schema"

    def encode_default(self, dft: Any) -> Any:
        return str(dft) if isinstance(dft, IntFormat | FloatFormat | FxFormat) else super().encode_default(dft)


_DESCRIPTIONS = {
    SystolicConfig: "Configuration of a systolic array or GEMM core.",
    EngineConfig: "Configuration of a GEMM engine.",
}


def json_schema(model: type[SystolicConfig] = SystolicConfig) -> dict[str, Any]:
    """The schema of a configuration file. Rules that span fields are not in it; the models check those."""
    schema = model.model_json_schema(schema_generator=_Generate)
    schema["description"] = _DESCRIPTIONS[model]
    schema["properties"]["$schema"] = {"type": "string", "description": "this schema; read by editors only"}
    return {"$schema": _Generate.schema_dialect, **schema}


def schema_text(model: type[SystolicConfig] = SystolicConfig) -> str:
    """``json_schema`` as it lies beside the presets."""
    return json.dumps(json_schema(model), indent=2) + "\n"
