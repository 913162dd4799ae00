"""The host's side of an engine: a driver that is the same for the simulation and for boards."""
