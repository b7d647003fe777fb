"""Buys a search with the Python client, which pays by PyPI x402: SCHEME URL TOKEN."""

import json
import sys
from urllib.parse import urlsplit

from eth_account import Account
from mneme import Mneme
from x402 import x402ClientSync
from x402.http.x402_http_client import x402HTTPClientSync
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.mechanisms.evm.upto import UptoEvmScheme

scheme, url, token = sys.argv[1:]
client = x402ClientSync()
client.register("eip155:*", {"exact": ExactEvmScheme, "upto": UptoEvmScheme}[scheme](Account.create()))  # a key for this run
at = urlsplit(url)
with Mneme(f"{at.scheme}://{at.netloc}", token, payer=x402HTTPClientSync(client)) as memory:
    response = memory._call(  # for the header that the test compares
        "POST", at.path, json={"query": "lighthouse"}, headers={"Idempotency-Key": "mneme-" + scheme}, paid=True
    )
print(json.dumps({"status": response.status_code, "settled": response.headers.get("payment-response"), "body": response.json()}))
