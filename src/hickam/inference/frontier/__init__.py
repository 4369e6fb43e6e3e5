"""Only what is open in the state: exact for any problem."""
