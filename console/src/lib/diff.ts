export interface Change {
  kind: "same" | "gone" | "new";
  text: string;
}

// lines compares two texts by line, by their longest common subsequence. Beyond a
// thousand lines it compares only what lies between a common begin and end.
export function lines(before: string, after: string): Change[] {
  const a = before.split("\n");
  const b = after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (text: string): Change => ({ kind: "same", text });
  return [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
}

function between(a: string[], b: string[]): Change[] {
  if (a.length * b.length > 1_000_000) {
    return [...a.map((text): Change => ({ kind: "gone", text })), ...b.map((text): Change => ({ kind: "new", text }))];
  }
  // longest[i][j]: of a from i and b from j
  const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i]![j] = a[i] === b[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
    }
  }
  const out: Change[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: "same", text: a[i]! });
      i++;
      j++;
    } else if (j === b.length || (i < a.length && longest[i + 1]![j]! >= longest[i]![j + 1]!)) {
      out.push({ kind: "gone", text: a[i++]! });
    } else {
      out.push({ kind: "new", text: b[j++]! });
    }
  }
  return out;
}
