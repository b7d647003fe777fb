// Addresses of views: #/screen?name=value. A token is never part of one.

export class Route {
  screen = $state("");
  query = $state(new URLSearchParams());

  constructor() {
    this.read();
    addEventListener("hashchange", () => this.read());
  }

  private read() {
    const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
    this.screen = path;
    this.query = new URLSearchParams(query);
  }

  // go opens a view. replace: the browser's back button passes over this one.
  go(screen: string, query: Record<string, string | undefined> = {}, replace = false) {
    const hash = addressOf(screen, query);
    if (replace) {
      history.replaceState(null, "", hash);
      this.read();
    } else {
      location.hash = hash;
    }
  }
}

export function addressOf(screen: string, query: Record<string, string | undefined> = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) params.set(name, value);
  const text = params.toString();
  return `#/${screen}${text ? `?${text}` : ""}`;
}

export const route = new Route();
