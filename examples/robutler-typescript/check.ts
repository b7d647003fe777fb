// Checks the skill against a running server. MNEME_URL and MNEME_TOKEN name the
// server and the caller.
import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";

import { type Hit, MemorySkill, Refused, type Store } from "./memory-skill.js";

const { MNEME_URL: portalUrl = "", MNEME_TOKEN: apiKey = "" } = process.env;
const run = "check-" + randomUUID().slice(0, 13);
let checks = 0;

function expect(what: string, holds: boolean): void {
  assert(holds, `not so: ${what}`);
  checks++;
}

async function status(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 200;
  } catch (e) {
    if (e instanceof Refused) return e.status;
    throw e;
  }
}

const known = await fetch(`${portalUrl}/api/storage/memory?action=stores`, { headers: { Authorization: `Bearer ${apiKey}` } });
const { stores } = (await known.json()) as { stores: Store[] };
const me = stores.find((store) => store.kind === "self")!.storeId;
const skill = new MemorySkill({ portalUrl, apiKey, agentId: me, chatId: "no-such-chat", userId: "no-such-user" });
const tea = `/memories/${run}/tea & time?`, coffee = `/memories/${run}/coffee`, folder = `/memories/${run}/`;

expect("there is nothing at first", (await status(skill.view(tea))) === 404);
await skill.create(tea, "Ben drinks green tea, green as grass, at four.");
expect("what was created is seen", (await skill.view(tea)) === "Ben drinks green tea, green as grass, at four.");
await skill.edit(tea, "green", "black $&");
expect("an edit replaces the first occurrence", (await skill.view(tea)) === "Ben drinks black $& tea, green as grass, at four.");
expect("a folder lists its keys", JSON.stringify(await skill.view(folder)) === JSON.stringify([`${run}/tea & time?`]));
await skill.rename(tea, coffee);
expect("a renamed entry is at its new place", String(await skill.view(coffee)).startsWith("Ben drinks black"));
expect("and not at its old one", (await status(skill.view(tea))) === 404);

let found: Hit | undefined;
for (let tries = 0; !found && tries < 1800; tries++) { // the vector leg finds a text about a second after it was written
  if (tries > 0) await setTimeout(100);
  found = (await skill.search("which hot beverage does Ben have in the afternoon?")).find((hit) => hit.key === `${run}/coffee`);
}
expect("a question finds it", found !== undefined && found.storeId === me && String(found.value).includes("tea"));

await skill.share("check-friend", "search");
await skill.unshare("check-friend");
expect("the own store is among the stores", (await skill.stores()).some((store) => store.storeId === me));
expect("another's store is closed", (await status(skill.view("/memories/shared/check-stranger/"))) === 403);
expect("another agent's name is refused", (await status(new MemorySkill({ portalUrl, apiKey, agentId: me + "x" }).view(coffee))) === 403);

await skill.setInternal(me, `${run}/secret`, { key: "k-123" });
expect("a skill reads what it keeps", JSON.stringify(await skill.getInternal(me, `${run}/secret`)) === '{"key":"k-123"}');
expect("a list does not show it", JSON.stringify(await skill.view(folder)) === JSON.stringify([`${run}/coffee`]));
expect("the tool does not delete it", (await status(skill.delete(`/memories/${run}/secret`))) === 404);
await skill.setInternal(me, `${run}/secret`, null, { ttl: 1 });

expect("a value above 100 kB is too large", (await status(skill.create(coffee, "x".repeat(200_000)))) === 413);
await skill.delete(coffee);
expect("a deleted entry is gone", (await status(skill.view(coffee))) === 404);
console.log(`${checks} checks hold`);
