"""What to do next: what-if, next question, second opinion."""
