"""Generated from the server's OpenAPI document. Do not edit."""
