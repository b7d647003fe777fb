// Buys a search with npm @x402/fetch, unmodified: SCHEME URL TOKEN.
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { UptoEvmScheme } from "@x402/evm/upto/client";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const [scheme, url, token] = process.argv.slice(2);
const account = privateKeyToAccount(generatePrivateKey()); // a key for this run
const client = new x402Client();
client.register("eip155:*", new { exact: ExactEvmScheme, upto: UptoEvmScheme }[scheme](account));
const answer = await wrapFetchWithPayment(fetch, client)(url, {
  method: "POST",
  headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
  body: JSON.stringify({ query: "lighthouse" }),
});
console.log(JSON.stringify({ status: answer.status, settled: answer.headers.get("payment-response"), body: await answer.json() }));
