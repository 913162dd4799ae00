"""Handwritten digits on the RTL of an engine: a network of two dense layers, and a small convolutional one."""
