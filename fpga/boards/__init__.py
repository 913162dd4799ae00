"""The boards: what is on them."""
