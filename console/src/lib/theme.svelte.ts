const order = ["system", "light", "dark"] as const;

class Theme {
  chosen = $state<(typeof order)[number]>("system");

  constructor() {
    const kept = localStorage.getItem("mneme.theme");
    this.set(order.find((name) => name === kept) ?? "system");
  }

  next() {
    this.set(order[(order.indexOf(this.chosen) + 1) % order.length]!);
  }

  private set(name: (typeof order)[number]) {
    this.chosen = name;
    if (name === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    localStorage.setItem("mneme.theme", name);
  }
}

export const theme = new Theme();
