// The server of the tests: MNEME_URL and MNEME_TOKEN name it, and the agent of whose store they
// use namespaces of their own.

import { randomUUID } from "node:crypto";
import { test, type TestContext } from "node:test";

import { Mneme } from "mneme-client";

const { MNEME_URL = "", MNEME_TOKEN = "", CI } = process.env;
const missing = MNEME_URL === "" && "MNEME_URL is not set";
if (missing && CI) throw new Error(missing);

export const client = (): Mneme => new Mneme(MNEME_URL, MNEME_TOKEN);

/** Tests a rule against the server, in a namespace of its own. */
export function rule(title: string, check: (namespace: string, context: TestContext) => Promise<void>): void {
  test(title, { skip: missing }, (context) => check(randomUUID(), context));
}

/** A client of a server that cannot be reached. */
export const unreachable = (): Mneme => new Mneme("http://127.0.0.1:1", "none", { retries: 0 });
