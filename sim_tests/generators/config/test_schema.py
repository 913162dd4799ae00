"""The schema beside the presets is the model's own."""

from __future__ import annotations

import json
from importlib import resources

from tilewright.generators.config.schema import json_schema, schema_text
from tilewright.generators.config.systolic import SystolicConfig


def test_the_shipped_schema_is_up_to_date() -> None:
    shipped = resources.files("tilewright.generators.presets") / "systolic.schema.json"
    assert shipped.read_text(encoding="utf-8") == schema_text(), "rewrite it: tilewright schema > systolic.schema.json"


def test_it_has_every_field_with_range_default_and_words() -> None:
    schema = json_schema()
    fields = schema["properties"]
    assert set(fields) == {*SystolicConfig.model_fields, "$schema"}
    assert (fields["rows"]["minimum"], fields["rows"]["maximum"]) == (1, 256)
    assert fields["dataflow"]["enum"] == ["ws", "os", "is", "any"]
    assert fields["acc"]["default"] == "int32"
    assert "uint16" in fields["a"]["enum"] and "uint16" not in fields["acc"]["enum"]
    assert all(field["description"] for field in fields.values())
    assert schema["additionalProperties"] is False
    assert json.loads(schema_text()) == schema
