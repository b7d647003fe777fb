/** How a message is kept: its text as people read and search it, and beside it what else the message has. */

import type { MastraDBMessage } from "@mastra/core/memory";
import { type components, stringifyJSON } from "mneme-client";

import { markOf, withoutFiles } from "../attachment.js";
import { join, key, split, unescape } from "../name.js";
import { withNumbers } from "./number.js";
import type { Entry } from "./store.js";

type Item = components["schemas"]["BatchItem"];
type Content = MastraDBMessage["content"];

/** What lift leaves of a content. */
type Rest = Record<string, unknown>;

/** The value of an entry. */
interface Kept {
  role: string;
  /** The text of the message's text parts, in their order. */
  text: string | string[];
  metadata?: Content["metadata"];
  /** The content without text and metadata; absent if it is that of a message of one text, as agents make them. */
  content?: Rest;
  type?: string;
  /** The message's resource, if it is not the thread's. */
  resource?: string;
}

/** Where messages are: those of a thread are in its namespace, in that of its resource. */
export class Messages {
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = `${namespace}.messages`;
  }

  /** Returns the namespace of a thread. */
  thread(resource: string, thread: string): string {
    return `${this.#namespace}.${join(resource, thread)}`;
  }

  /** Returns what the namespaces of a resource's threads begin with; without a resource, those of all. */
  prefix(resource?: string): string {
    return `${this.#namespace}.${resource === undefined ? "" : `${join(resource)}.`}`;
  }

  /** Returns the resource and the thread of a namespace. */
  owner(namespace: string): { resource: string; thread: string } {
    const [thread = "", resource = ""] = split(namespace).reverse();
    return { resource, thread };
  }

  /**
   * Returns the write of a message of a thread of a resource. after counts the messages before
   * it that were made in the same millisecond: the time that is kept orders them.
   */
  item(message: MastraDBMessage, resource: string, after = 0): Item {
    return {
      op: "put",
      namespace: this.thread(resource, threadOf(message)),
      key: key(message.id),
      value: valueOf(message, resource),
      occurred_at: new Date(message.createdAt).toISOString().replace("Z", `${String(Math.min(after, 999)).padStart(3, "0")}Z`),
    };
  }

  /** Returns the message of an entry. */
  message(entry: Entry): MastraDBMessage {
    const { resource, thread } = this.owner(entry.namespace);
    const kept = keptOf(entry.value);
    const createdAt = new Date(entry.occurred_at ?? entry.created_at);
    return {
      id: unescape(entry.key),
      role: kept.role as MastraDBMessage["role"],
      createdAt,
      threadId: thread,
      resourceId: kept.resource ?? resource,
      ...(kept.type === undefined ? {} : { type: kept.type }),
      content: contentOf(kept, createdAt),
    };
  }
}

/** Returns the thread of a message that is to be kept. */
export function threadOf(message: Pick<MastraDBMessage, "threadId">): string {
  if (!message.threadId) throw new Error("a message to be kept has no threadId");
  return message.threadId;
}

/** Orders entries of messages by time, and those of one instant as they were written. */
export function byTime(a: Entry, b: Entry): number {
  return (
    millisecond(a) - millisecond(b) || compare(a.created_at, b.created_at) || microsecond(a) - microsecond(b) || compare(a.key, b.key)
  );
}

function millisecond(entry: Entry): number {
  return new Date(entry.occurred_at ?? entry.created_at).getTime();
}

/** Returns the digits after the seconds, of which the server drops zeros. */
function microsecond({ occurred_at: at = "" }: Entry): number {
  return Number((/\.(\d+)/.exec(at)?.[1] ?? "").padEnd(6, "0"));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns what an entry keeps: what other clients wrote there is a user's text. */
function keptOf(value: unknown): Kept {
  if (typeof value === "object" && value !== null && "role" in value && "text" in value) return withNumbers(value) as Kept;
  return { role: "user", text: typeof value === "string" ? value : stringifyJSON(value ?? null) };
}

function valueOf(message: MastraDBMessage, resource: string): Kept {
  const { metadata, ...content } = marksOf(typeof message.content === "string" ? plain(message.content) : message.content);
  const { texts, rest } = lift(content);
  return {
    role: message.role,
    text: texts.length === 1 ? texts[0]! : texts,
    ...(metadata === undefined ? {} : { metadata }),
    ...(stringifyJSON(rest) === stringifyJSON(usual(new Date(message.createdAt))) ? {} : { content: rest }),
    ...(message.type === undefined ? {} : { type: message.type }),
    ...(message.resourceId && message.resourceId !== resource ? { resource: message.resourceId } : {}),
  };
}

function contentOf(kept: Kept, made: Date): Content {
  const texts = typeof kept.text === "string" ? [kept.text] : kept.text;
  const { parts, content, ...rest } = kept.content ?? usual(made);
  let next = 0;
  const whole = (parts as object[]).map((part) => (isText(part) && !("text" in part) ? { ...part, text: texts[next++] ?? "" } : part));
  const text = content === null ? texts.join("\n") : content;
  return { ...rest, parts: whole, ...(text === undefined ? {} : { content: text }), ...(kept.metadata && { metadata: kept.metadata }) } as unknown as Content;
}

/** Returns a content with marks in place of the pictures and files that are in it, each a text part. */
function marksOf({ parts = [], experimental_attachments: attachments, content, ...more }: Content): Content {
  const whole = parts.map((part) => {
    const mark = markOf(part);
    return mark === undefined ? withoutFiles(part) : { type: "text", text: mark };
  }) as Content["parts"];
  const beside = (attachments ?? []).map((attachment) => ({ attachment, text: markOf(attachment) }));
  const marks = beside.flatMap(({ text }) => text ?? []).filter((text) => !textsOf(whole).includes(text)); // Mastra may have a file twice
  const links = beside.filter(({ text }) => text === undefined).map(({ attachment }) => attachment);
  const all = [...whole, ...marks.map((text) => ({ type: "text" as const, text }))];
  const repeated = content === textsOf(parts).join("\n") ? textsOf(all).join("\n") : withoutFiles(content);
  return {
    ...(withoutFiles(more) as Content),
    parts: all,
    ...(content === undefined ? {} : { content: repeated as string }),
    ...(links.length > 0 && { experimental_attachments: links }),
  };
}

function textsOf(parts: Content["parts"]): string[] {
  return parts.flatMap((part) => (isText(part) && typeof part.text === "string" ? part.text : []));
}

/** Takes the text out of a content, of which it leaves the rest: null stands for a content that repeats the text. */
function lift(content: Content): { texts: string[]; rest: Rest } {
  const texts: string[] = [];
  const parts = (content.parts ?? []).map((part) => {
    if (!isText(part) || typeof part.text !== "string") return part;
    const { text, ...rest } = part;
    texts.push(text);
    return rest;
  });
  const rest: Rest = { ...content, parts };
  if (texts.length > 0 && content.content === texts.join("\n")) rest["content"] = null;
  return { texts, rest };
}

function isText(part: object): part is { type: "text"; text?: unknown } {
  return "type" in part && part.type === "text";
}

function plain(text: string): Content {
  return { format: 2, parts: [{ type: "text", text }], content: text };
}

/** Returns what lift leaves of a message of one text, as agents make them. */
function usual(made: Date): Rest {
  return { format: 2, parts: [{ type: "text", createdAt: made.getTime() }], content: null };
}
