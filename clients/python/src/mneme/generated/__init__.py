"""Made of openapi.yaml by generate.py."""
