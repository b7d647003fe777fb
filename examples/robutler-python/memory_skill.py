"""A memory skill that stores its memories through the portal API at /api/storage/memory.

It calls the API as the Robutler skills do: keys go into the path as they are,
the token goes into X-API-Key, edit is view and create, rename is view, create
and delete.
"""

from typing import Any

import httpx

ROOT = "/memories/"


class Refused(Exception):
    """The portal refused a call."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        reason = {403: "access denied", 404: "not found", 413: "value too large", 429: "key limit reached"}
        super().__init__(f"{reason.get(self.status, 'failed')} ({self.status})")


class MemorySkill:
    """The memory tool's nine commands, and the calls for other skills: get_internal and set_internal."""

    def __init__(
        self, portal_url: str, api_key: str, agent_id: str, *, chat_id: str | None = None, user_id: str | None = None, default_ttl: int = 0
    ) -> None:
        self.agent_id, self.chat_id, self.user_id, self.default_ttl = agent_id, chat_id, user_id, default_ttl
        self.http = httpx.Client(
            base_url=portal_url.rstrip("/") + "/api/storage/memory", headers={"X-API-Key": api_key, "Content-Type": "application/json"}, timeout=60
        )

    def view(self, path: str = ROOT) -> Any:
        store, key = self._place(path)
        if path.endswith("/"):
            found = self._call("GET", "", params=self._about(store, inContext="true", prefix=key or None))
            return found["keys"]
        return self._call("GET", key, params=self._about(store))["value"]

    def create(self, path: str, content: Any) -> None:
        self._put(path, content, ttl=self.default_ttl)

    def edit(self, path: str, old_str: str, new_str: str) -> None:
        value = self.view(path)
        if not isinstance(value, str) or old_str not in value:
            raise ValueError("old_str is not in the entry")
        self._put(path, value.replace(old_str, new_str, 1))

    def delete(self, path: str) -> None:
        store, key = self._place(path)
        self._call("DELETE", key, params=self._about(store))

    def rename(self, path: str, new_str: str) -> None:
        self._put(new_str, self.view(path))
        self.delete(path)

    def search(self, query: str) -> list[dict[str, Any]]:
        return self._call("GET", "", params=self._about(None, action="search", q=query))["results"]

    def share(self, agent: str, level: str = "read", path: str = ROOT) -> None:
        body = {"agentId": self.agent_id, "store": self._place(path)[0], "grantee": agent, "level": level}
        self._call("POST", "", params={"action": "share"}, json=body)

    def unshare(self, agent: str, path: str = ROOT) -> None:
        self._call("DELETE", "", params={"action": "share", "store": self._place(path)[0], "grantee": agent})

    def stores(self) -> list[dict[str, Any]]:
        return self._call("GET", "", params=self._about(None, action="stores"))["stores"]

    def get_internal(self, store: str, key: str) -> Any:
        return self._call("GET", key, params={"agentId": self.agent_id, "store": store})["value"]

    def set_internal(self, store: str, key: str, value: Any, *, encrypted: bool = False, ttl: int = 0) -> None:
        self._call(
            "PUT", key, json={"value": value, "agentId": self.agent_id, "store": store, "inContext": False, "encrypted": encrypted, "ttl": ttl}
        )

    def _put(self, path: str, value: Any, **more: Any) -> None:
        store, key = self._place(path)
        self._call(
            "PUT", key, json={"value": value, "agentId": self.agent_id, "store": store, "chatId": self.chat_id, "userId": self.user_id, **more}
        )

    def _about(self, store: str | None, **more: str | None) -> dict[str, str]:
        said = {"agentId": self.agent_id, "store": store, "chatId": self.chat_id, "userId": self.user_id, **more}
        return {name: value for name, value in said.items() if value is not None}

    def _place(self, path: str) -> tuple[str, str]:
        """The store and key of a path: /memories/<key>, or /memories/shared/<store>/<key>."""
        key = path.removeprefix("/memories").lstrip("/")
        if key.startswith("shared/"):
            store, _, key = key.removeprefix("shared/").partition("/")
            return store, key
        return self.agent_id, key

    def _call(self, method: str, key: str, **request: Any) -> Any:
        response = self.http.request(method, f"/{key}" if key else "", **request)
        if response.is_error:
            raise Refused(response)
        return response.json()
