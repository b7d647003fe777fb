// Checks the functions against a running server. MNEME_URL and MNEME_TOKEN name the server
// and the caller.
import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";

import { Mneme } from "mneme-client";

import { forget, known, learn } from "./recall.js";

const { MNEME_URL = "http://127.0.0.1:7077", MNEME_TOKEN = "" } = process.env;
const memory = new Mneme(MNEME_URL, MNEME_TOKEN);
const space = "check-" + randomUUID().slice(0, 13);

assert.equal(await known(memory, space, "Where does Anna like to sit?"), "", "at first nothing is known");
await learn(memory, space, "travel", "Anna prefers the window seat on trains.");
assert.match(await known(memory, space, "Where does Anna like to sit?"), /window seat/);
const facts = ["Lisbon", "Ghent", "Turku", "Porto"].map((place) => `Anna has been to ${place}.`);
await Promise.all(facts.map((fact) => learn(memory, space, "travel", fact)));
const { entry } = await memory.get("travel", { namespace: space });
for (const fact of facts) assert.ok(String(entry.value).includes(fact), "no fact of several writers is lost");
await learn(memory, space, "diet", "Anna eats no nuts.");
assert.match(await known(memory, space, "What must I not cook for Anna?"), /^- Anna eats no nuts\./);
assert.equal(await forget(memory, space), 2);
assert.equal(await known(memory, space, "What must I not cook for Anna?"), "");
console.log("9 checks hold");
