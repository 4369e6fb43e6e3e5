"""The language of patients: names and free words → what a network has for them."""
