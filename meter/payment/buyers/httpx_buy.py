"""Buys a search with PyPI x402 over httpx, unmodified: SCHEME URL TOKEN."""

import asyncio
import json
import sys

from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402HttpxClient
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.mechanisms.evm.upto import UptoEvmScheme


async def main(scheme: str, url: str, token: str) -> None:
    account = Account.create()  # a key for this run
    client = x402Client()
    client.register("eip155:*", {"exact": ExactEvmScheme, "upto": UptoEvmScheme}[scheme](account))
    async with x402HttpxClient(client, headers={"Authorization": f"Bearer {token}"}) as http:
        answer = await http.post(url, json={"query": "lighthouse"})
        await answer.aread()
    print(json.dumps({"status": answer.status_code, "settled": answer.headers.get("payment-response"), "body": answer.json()}))


asyncio.run(main(*sys.argv[1:]))
