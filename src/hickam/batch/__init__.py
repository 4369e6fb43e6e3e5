"""The same work on many cases, in processes or on a cluster."""
