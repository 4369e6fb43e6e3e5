"""The sampled answer, for problems that no exact engine can hold."""
