import type { Hit } from "./api";

// What the detail pane shows: an entry, as a hit of a question or by its path.
export interface Shown {
  hit?: Hit;
  query?: string;
  path?: { store: string; namespace: string; key: string };
}

class Pane {
  shown = $state<Shown | null>(null);
  private before: HTMLElement | null = null;

  open(what: Shown) {
    this.before = document.activeElement as HTMLElement | null;
    this.shown = what;
  }

  close() {
    this.shown = null;
    this.before?.focus();
  }
}

export const pane = new Pane();
