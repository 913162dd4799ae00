"""Streams: valid, ready, payload."""
