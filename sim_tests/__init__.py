"""Evidence: drivers, the simulation harness, and tests that mirror the folders they test."""
