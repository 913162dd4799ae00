"""A sentence encoder, all-MiniLM-L6-v2, whose matrix products run on the RTL of an engine."""
