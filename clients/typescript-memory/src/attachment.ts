/** Pictures and files within messages: what is kept or shown has a mark in their place. */

const dataURLs = /data:([\w.+/=;"!#$&^-]{0,200});base64,([A-Za-z0-9+/_-]+={0,2})/g;
const base64 = /^[A-Za-z0-9+/_=\s-]+$/;

const mediaTypes = ["mimeType", "mediaType", "mime_type", "media_type"];
const bytes = ["data", "base64"]; // the members with bytes in base64 beside a media type

type Fields = Record<string, unknown>;

/** Returns what takes the place of a file; kept says that the store has the file itself. */
function mark(kind: string, digits: string, kept = false): string {
  const size = Math.floor((digits.replace(/=+$/, "").length * 3) / 4);
  return `[${kind || "file"}, ${Math.max(1, Math.floor(size / 1000))} kB${kept ? "" : ", not kept"}]`;
}

/** Returns a text with marks in place of its data URLs. */
export function marked(text: string, kept = false): string {
  if (!text.includes(";base64,")) return text;
  return text.replace(dataURLs, (_, type: string, digits: string) => mark(type.split(";")[0]!, digits, kept));
}

/**
 * Returns JSON with marks in place of the data URLs in its texts, and in place of the bytes of
 * its files: objects with a media type and base64, as models and tools send and answer them.
 */
export function withoutFiles(value: unknown): unknown {
  if (typeof value === "string") return marked(value);
  if (Array.isArray(value)) return value.map(withoutFiles);
  if (!isPlain(value)) return value;
  const kind = mediaTypeOf(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const file = kind && bytes.includes(name) && typeof member === "string" && base64.test(member);
      return [name, file ? mark(kind, member as string) : withoutFiles(member)];
    }),
  );
}

/** Returns the mark of a part of a message that is a picture or file itself; undefined of any other, such as a link to one. */
export function markOf(part: object): string | undefined {
  const { type, data, url, image } = part as Fields;
  if (type !== "file" && type !== "image" && type !== undefined) return undefined;
  const file = data ?? image ?? url;
  const kind = mediaTypeOf(part as Fields) ?? (part as { contentType?: string }).contentType ?? "";
  if (file instanceof Uint8Array) return mark(kind, "=".padStart(Math.ceil((file.length * 4) / 3) + 1, "A"));
  if (typeof file !== "string" || file === "") return undefined;
  if (file.startsWith("data:")) {
    const [head = "", digits = ""] = file.slice("data:".length).split(",", 2);
    return mark(head.split(";")[0]!, digits);
  }
  return file !== url && base64.test(file) ? mark(kind, file) : undefined;
}

function mediaTypeOf(fields: Fields): string | undefined {
  const name = mediaTypes.find((name) => typeof fields[name] === "string");
  return name && (fields[name] as string);
}

/** Reports whether a value is an object of JSON, and no date or the like, which JSON has as a text. */
function isPlain(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);
}
