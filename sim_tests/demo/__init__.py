"""The demonstration network on simulated cores."""
