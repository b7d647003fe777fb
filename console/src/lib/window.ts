// visible returns which rows of a long list are near the view: only these are drawn.
export function visible(scrolled: number, height: number, row: number, count: number) {
  const around = 10;
  const from = Math.max(0, Math.floor(scrolled / row) - around);
  return { from, to: Math.min(count, Math.ceil((scrolled + height) / row) + around) };
}
