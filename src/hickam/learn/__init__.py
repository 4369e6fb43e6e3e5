"""Numbers of a network learnt from records, and what the records say the network is missing."""
