"""The demonstration network: handwritten digits through a 64-32-10 perceptron, in floats and in integers."""
