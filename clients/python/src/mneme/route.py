"""The route to a server: its address, the caller's token, and the proxy."""

from __future__ import annotations

import ipaddress
import os
from urllib.request import getproxies, proxy_bypass

import httpx

DEFAULT = "http://127.0.0.1:7077"


def address(url: str | None) -> str:
    """Returns the server's address: url, or else MNEME_URL, or else the default."""
    return check_url(url or os.environ.get("MNEME_URL") or DEFAULT)


def credential(token: str | None) -> str:
    """Returns the token, or else MNEME_TOKEN. Raises ValueError if there is none."""
    token = token or os.environ.get("MNEME_TOKEN")
    if not token:
        raise ValueError("no token: pass one, or set MNEME_TOKEN")
    return token


def check_url(url: str) -> str:
    """Returns a server's address, or raises a ValueError that does not contain it."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL("")
    if parsed.scheme not in ("http", "https") or not parsed.host or parsed.userinfo or parsed.query or parsed.fragment:
        raise ValueError("the server's address must be http:// or https:// and a host, without user, query or fragment")
    return url.rstrip("/")


def is_direct(url: str) -> bool:
    """Reports whether a server is on this machine.

    SECURITY: calls to such a server bypass the proxies of the environment: they contain the token and the request in clear text.
    """
    host = httpx.URL(url).host.rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def proxy(url: str) -> str:
    """Returns the host and port of the environment's proxy for a server; "" without one."""
    parsed = httpx.URL(url)
    proxies = getproxies()
    by = proxies.get(parsed.scheme) or proxies.get("all")
    if not by or is_direct(url) or proxy_bypass(parsed.host):
        return ""
    try:
        return httpx.URL(by if "://" in by else f"http://{by}").netloc.decode()  # without user and password
    except httpx.InvalidURL:
        return "of the environment"
