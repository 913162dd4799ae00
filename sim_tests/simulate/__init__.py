"""A matrix product on simulated RTL, in one call: ``tilewright.simulate``."""
