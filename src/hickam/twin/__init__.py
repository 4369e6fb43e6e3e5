"""Counterfactuals on general structural causal models: worlds that share their noise."""
