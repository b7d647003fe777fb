"""Buys a search with PyPI x402 over requests, unmodified: SCHEME URL TOKEN."""

import json
import sys

from eth_account import Account
from x402 import x402ClientSync
from x402.http.clients.requests import x402_requests
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.mechanisms.evm.upto import UptoEvmScheme

scheme, url, token = sys.argv[1:]
account = Account.create()  # a key for this run
client = x402ClientSync()
client.register("eip155:*", {"exact": ExactEvmScheme, "upto": UptoEvmScheme}[scheme](account))
with x402_requests(client) as http:
    answer = http.post(url, json={"query": "lighthouse"}, headers={"Authorization": f"Bearer {token}"})
print(json.dumps({"status": answer.status_code, "settled": answer.headers.get("payment-response"), "body": answer.json()}))
