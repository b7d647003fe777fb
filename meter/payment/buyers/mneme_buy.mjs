// Buys a search with the TypeScript client, which pays by npm @x402/fetch: SCHEME URL TOKEN.
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { UptoEvmScheme } from "@x402/evm/upto/client";
import { Mneme } from "mneme-client";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const [scheme, url, token] = process.argv.slice(2);
const wallet = new x402Client();
wallet.register("eip155:*", new { exact: ExactEvmScheme, upto: UptoEvmScheme }[scheme](privateKeyToAccount(generatePrivateKey()))); // a key for this run
const pay = wrapFetchWithPayment(fetch, wallet);
let last; // for the header that the test compares
const payingFetch = async (request) => (last = await pay(request));
const { origin, pathname } = new URL(url);
const memory = new Mneme(origin, token, { payingFetch });
const body = await memory.searchOffer(pathname.split("/")[3], "lighthouse", { idempotencyKey: `mneme-typescript-${scheme}` });
console.log(JSON.stringify({ status: last.status, settled: last.headers.get("payment-response"), body }));
