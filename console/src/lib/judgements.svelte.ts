import type { Hit } from "./api";
import { t } from "./i18n.svelte";

// verdict is a grade in words.
export const verdict = (grade: number) => t((["verdict.not", "verdict.partly", "verdict.relevant"] as const)[grade] ?? "verdict.not");

// Judgements of hits: 2 relevant, 1 partly, 0 not. They live as long as the page, and
// leave it as the queries and qrels that `mneme bench relevance` takes.
class Judgements {
  private all = $state<Record<string, Record<string, number>>>({});

  judge(query: string, hit: Hit, grade: number) {
    const of = (this.all[query] ??= {});
    const name = nameOf(hit);
    if (of[name] === grade) this.drop(query, name);
    else of[name] = grade;
  }

  // drop takes a judgement back.
  drop(query: string, name: string) {
    const of = this.all[query];
    if (!of) return;
    delete of[name];
    if (Object.keys(of).length === 0) delete this.all[query];
  }

  // questions are those with judgements, in the order in which they were judged first.
  get questions() {
    return Object.entries(this.all).map(([query, of]) => ({ query, judged: Object.entries(of).map(([name, grade]) => ({ name, grade })) }));
  }

  of(query: string, hit: Hit): number | undefined {
    return this.all[query]?.[nameOf(hit)];
  }

  get count() {
    return Object.values(this.all).reduce((n, of) => n + Object.keys(of).length, 0);
  }

  // queries and qrels are the files of a dataset, of the store that is asked.
  queries(store: string) {
    return Object.keys(this.all)
      .map((text, i) => `${JSON.stringify({ _id: `q${i + 1}`, text, store })}\n`)
      .join("");
  }

  qrels() {
    const lines = ["query-id\tcorpus-id\tscore\n"];
    Object.values(this.all).forEach((of, i) => {
      for (const [name, grade] of Object.entries(of)) lines.push(`q${i + 1}\t${name}\t${grade}\n`);
    });
    return lines.join("");
  }
}

// nameOf is how judgements name an entry: STORE/KEY, or STORE/NAMESPACE/KEY.
function nameOf(hit: Hit) {
  return [hit.store_id, hit.namespace, hit.key].filter(Boolean).join("/");
}

export function download(name: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  URL.revokeObjectURL(url);
}

export const judgements = new Judgements();
