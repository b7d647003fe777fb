import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";

// An offer that is changed, receipts of other keys, days without sales, and what sellers
// and buyers may be called.
export async function selling({ page, look, sees, fail, receipt, offer, call, token }) {
  // Changed in its card, unless somebody else changed it meanwhile.
  const card = page.getByRole("article").filter({ has: page.getByRole("heading", { name: "What Ben eats" }) });
  await card.getByRole("button", { name: "Change" }).click();
  const form = page.getByRole("form", { name: "Change the offer" });
  await form.getByLabel("A new memory, USD").fill("0.004");
  await form.getByText("All terms").click();
  await form.getByLabel("Searches a day", { exact: true }).fill("50");
  await sees("what it will cost", form.getByText("A search that finds 5 new memories costs .022 USD"));
  await look("offer-change");
  await call(token, "PUT", `/v1/offers/${offer}`, { description: "What Ben eats, and what not." });
  await form.getByRole("button", { name: "Change it" }).click();
  await sees("that somebody else changed it", form.getByText("Somebody else wrote meanwhile"));
  await form.getByRole("button", { name: "Leave it" }).click();
  await card.getByRole("button", { name: "Change" }).click();
  await form.getByLabel("A new memory, USD").fill("0.004");
  await form.getByRole("button", { name: "Change it" }).click();
  await sees("the changed offer", card.getByText(".004 USD, 20 % more"));
  const now = await call(token, "GET", `/v1/offers/${offer}`);
  if (now.terms.price_entry !== 4000 || now.terms.searches_per_day !== 1000 || now.title !== "What Ben eats") fail(`the offer has become ${JSON.stringify(now)}`);

  // Receipts: by a key that the service had before, and of another service.
  const payload = receipt.split(".")[1];
  const other = () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const { x } = publicKey.export({ format: "jwk" });
    const key = { kty: "OKP", crv: "Ed25519", x, kid: `key-${x.slice(0, 8)}`, alg: "EdDSA", use: "sig" };
    const header = Buffer.from(JSON.stringify({ alg: "EdDSA", typ: "mneme-receipt", kid: key.kid })).toString("base64url");
    const signed = sign(null, Buffer.from(`${header}.${payload}`), createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }))).toString("base64url");
    return { key, receipt: `${header}.${payload}.${signed}` };
  };
  const check = async (text, why) => {
    await page.getByLabel("Receipt").fill(text);
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await sees(`what a receipt is: ${why}`, page.getByText(why));
  };
  const older = other();
  await page.route("**/.well-known/jwks.json", async (route) => {
    const response = await route.fetch();
    const { keys } = await response.json();
    await route.fulfill({ response, json: { keys: [...keys, older.key] } });
  });
  await check(older.receipt, "This service signed it.");
  await check(receipt, "This service signed it.");
  await page.unroute("**/.well-known/jwks.json");
  const elsewhere = other();
  await check(elsewhere.receipt, "This service has no key of this name");
  await page.getByRole("button", { name: "It is of another service" }).click();
  await page.getByLabel("Keys of that service").fill(JSON.stringify({ keys: [elsewhere.key] }));
  await check(elsewhere.receipt, "One of these keys signed it.");
  await look("receipt-elsewhere");
  await page.getByLabel("Keys of that service").fill("<html>");
  await check(elsewhere.receipt, "The keys are not a JSON Web Key Set");
  await page.getByRole("button", { name: "It is of another service" }).click();

  // Days without sales, and names and titles as long and as odd as they can be.
  const day = (n) => new Date(Date.now() - n * 86_400_000).toISOString().slice(0, 10);
  const sums = { searches: 12, hits: 88, entries: 40, share: 0.4, income: 44_000 };
  const long = "a-buyer-of-a-hundred-and-twenty-eight-characters.".repeat(3).slice(0, 128);
  const markup = `<img src=x onerror="document.title='broken out'"><script>document.title='broken out'</script>`;
  const wide = `${markup.slice(0, 60)}${"W".repeat(40)}`;
  const items = {
    day: [{ day: day(40), ...sums }, { day: day(3), ...sums, income: 11_000 }],
    buyer: [{ buyer: long, ...sums }, { buyer: "b", ...sums }],
    offer: [{ offer: "01a00000-0000-7000-8000-000000000001", ...sums }],
  };
  await page.route("**/v1/stores/self/sales?*", (route) => route.fulfill({ json: { items: items[new URL(route.request().url()).searchParams.get("by")] } }));
  await page.route("**/v1/stores/self/offers", async (route) => {
    const response = await route.fetch();
    const { offers } = await response.json();
    const odd = { ...offers[0], id: "01a00000-0000-7000-8000-000000000001", title: wide, description: `${markup}\n\u202Egnissap\u2066 ${"שלום ".repeat(50)}`, seller: long };
    await route.fulfill({ response, json: { offers: [odd, { ...odd, id: "01a00000-0000-7000-8000-000000000002", title: "\u05d0\u05d1\u05d2 \u202Erebmun" }, ...offers] } });
  });
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("link", { name: "Sell" }).click();
  await sees("the odd offer", page.getByRole("heading", { name: wide }));
  await sees("the code point of an override in a title", page.getByRole("heading").getByText("U+202E"));
  await sees("the long buyer", page.getByRole("cell", { name: long }));
  const chart = page.getByRole("img", { name: new RegExp(`^Income of each day from ${day(40)} to ${day(0)}, .055 USD in all`) });
  await sees("the chart of all days", chart);
  await sees("that nothing was sold today", page.getByText("nothing sold"));
  await chart.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowLeft");
  await sees("a day that is chosen by the keyboard", page.getByText(day(3)).filter({ visible: true }));
  await sees("its sales", page.getByText("12 searches, 40 new memories sold").filter({ visible: true }));
  await look("sell-odd");
  await page.unroute("**/v1/stores/self/sales?*");
  await page.unroute("**/v1/stores/self/offers");
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("link", { name: "Sell" }).click();
  await sees("the offers as they are", page.getByRole("heading", { name: "What Ben eats" }));
}
