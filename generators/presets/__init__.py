"""Ready configurations, one TOML file each; ``tilewright.generators.config.presets`` reads them."""
