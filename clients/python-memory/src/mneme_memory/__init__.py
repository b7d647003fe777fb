"""mneme as the memory of agent frameworks.

Each module is for one framework and needs the extra of its name: langgraph, langchain, llamaindex, adk, autogen,
crewai, pydantic_ai, openai_agents. All call the server by mneme's Python client. Their asynchronous methods call it
from threads, so that one object serves any number of event loops.
"""

from .connection import ItemRefused, connect

__all__ = ["ItemRefused", "connect"]
