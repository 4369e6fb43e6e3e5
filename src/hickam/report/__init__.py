"""Results as text, JSON, HTML and pictures."""
