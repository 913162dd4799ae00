"""The demonstration network: handwritten digits through a 64-32-10 perceptron, in float64 and in numbers of cores."""
