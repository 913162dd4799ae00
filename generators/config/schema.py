"""JSON Schema of the configuration, with which editors complete and check the TOML files."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.hdl.numeric import FloatFormat, FxFormat, IntFormat


class _Generate(GenerateJsonSchema):
    schema_dialect = "https://json-schema.org/draft/2020-12/schema"

    def encode_default(self, dft: Any) -> Any:
        return str(dft) if isinstance(dft, IntFormat | FloatFormat | FxFormat) else super().encode_default(dft)


def json_schema() -> dict[str, Any]:
    """The schema of a configuration file. Rules that span fields are not in it; the models check those."""
    schema = SystolicConfig.model_json_schema(schema_generator=_Generate)
    schema["description"] = "Configuration of a systolic array or GEMM core."
    schema["properties"]["$schema"] = {"type": "string", "description": "this schema; read by editors only"}
    return {"$schema": _Generate.schema_dialect, **schema}


def schema_text() -> str:
    """``json_schema`` as it lies beside the presets."""
    return json.dumps(json_schema(), indent=2) + "\n"
