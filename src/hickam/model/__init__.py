"""The noisy-OR network, and how it is built and checked."""
