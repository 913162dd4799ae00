"""Validated configuration models, the values derived from them, and how they are read from TOML."""
