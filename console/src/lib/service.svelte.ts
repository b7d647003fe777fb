import { api } from "./api";
import { base } from "./base";

// Whether the service was reached by the last call. Offline, what was loaded stays
// readable; the service is looked for until it answers.
class Service {
  away = $state(false);
  private looking: ReturnType<typeof setInterval> | undefined;

  constructor() {
    api.use({
      onResponse: () => this.reached(),
      onError: ({ error }) => {
        if (!(error instanceof DOMException && error.name === "AbortError")) this.lost();
      },
    });
    addEventListener("offline", () => this.lost());
    addEventListener("online", () => void this.look());
  }

  async look() {
    try {
      await fetch(`${base}/readyz`, { cache: "no-store" });
      this.reached();
    } catch {
      this.lost();
    }
  }

  private reached() {
    this.away = false;
    clearInterval(this.looking);
    this.looking = undefined;
  }

  private lost() {
    this.away = true;
    this.looking ??= setInterval(() => void this.look(), 5000);
  }
}

export const service = new Service();
