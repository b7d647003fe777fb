"""Buys a search with the MPP buyer of PyPI webagents, unmodified: SCHEME URL TOKEN.

The buyer is the only part of webagents 0.3.9 that pays what it is asked for with a 402:
by shared payment tokens of cards, not in credits.
"""

import asyncio
import json
import sys

from cryptography.hazmat.primitives.asymmetric import ed25519
from webagents.agents.skills.robutler.payments_x402 import MppBuyer, MppBuyerPolicy
from webagents.crypto.http_signature import SigningKey


class Card:
    """A card whose tokens are good for everything."""

    def get_spt(self, request) -> str:
        return "spt_" + "".join(c for c in request.challenge_id if c.isalnum())


async def main(scheme: str, url: str, token: str) -> None:
    refused = []
    buyer = MppBuyer(
        keys=[SigningKey.from_private_key(ed25519.Ed25519PrivateKey.generate())],  # a key for this run
        agent_url="https://buyer.example",
        policy=MppBuyerPolicy(max_per_purchase_cents=100, accept_terms="none", realms=[url], methods=[scheme], stripe_profile_id="profile_test"),
        card=Card(),
        on_refusal=refused.append,
    )
    answer = await buyer.paying_request("POST", url, headers={"Authorization": f"Bearer {token}"}, json={"query": "lighthouse"})
    await answer.aread()
    settled = answer.headers.get("payment-receipt")
    print(json.dumps({"status": answer.status_code, "settled": settled, "body": answer.json(), "refused": [str(r) for r in refused]}))


asyncio.run(main(*sys.argv[1:]))
