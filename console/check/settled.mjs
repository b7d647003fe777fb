// How long what is waited for may take on a busy machine, in milliseconds.
export const patience = 180_000;

// settler returns a function that waits until the page is at rest: no request is under way,
// no transition runs, and what came is drawn. With answers false, requests may be under way.
export function settler(page) {
  const underWay = new Set();
  page.on("request", (r) => underWay.add(r));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (r) => underWay.delete(r));
  return async ({ answers = true } = {}) => {
    const until = Date.now() + patience;
    do {
      if (Date.now() > until) throw new Error(`there is no answer to ${[...underWay].map((r) => r.url()).join(", ")}`);
      await page.evaluate(async () => {
        const frame = () => new Promise(requestAnimationFrame);
        await frame();
        await Promise.allSettled(document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity).map((a) => a.finished));
        await frame();
      });
    } while (answers && underWay.size > 0);
  };
}
