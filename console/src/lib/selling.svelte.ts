import { api, done } from "./api";
import { session } from "./session.svelte";

// Whether the visitor's own store has offers, also withdrawn ones: without any, selling is
// left out of the bar, and Settings leads to it.
class Selling {
  offers = $state(0);

  async load() {
    const token = session.token;
    this.offers = 0;
    if (!token) return;
    try {
      const { offers } = (await done(api.GET("/v1/stores/{store}/offers", { params: { path: { store: "self" } } }))).data;
      if (session.token === token) this.offers = offers.length;
    } catch {
      // the screen itself says why it is not told
    }
  }
}

export const selling = new Selling();
