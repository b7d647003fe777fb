const around = 6; // rows above and below the view

// pool returns how many rows are drawn at most.
export const pool = (height: number, row: number) => Math.ceil(height / row) + 2 * around + 2;

// visible returns which rows of a long list are near the view: only these are drawn.
export function visible(scrolled: number, height: number, row: number, count: number) {
  const from = Math.max(0, Math.floor(scrolled / row) - around);
  return { from, to: Math.min(count, Math.ceil((scrolled + height) / row) + around) };
}
