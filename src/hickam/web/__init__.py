"""The service: a REST API and a page, both stateless; nothing here computes."""
