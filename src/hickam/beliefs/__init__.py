"""What both kinds of inference give and take: beliefs, their accuracy, options, a deadline."""
