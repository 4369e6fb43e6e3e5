"""What is known about one patient."""
