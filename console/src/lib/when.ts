import { dayOf, exact } from "./format";
import { dates, i18n } from "./i18n.svelte";

// The precision of a writer's event time.
export const kinds = ["", "day", "month", "year", "time"] as const;
export type Kind = (typeof kinds)[number];

// kindOf is how exact an occurred_at is.
export function kindOf(occurred: string | undefined): Kind {
  if (!occurred) return "";
  return occurred.includes("T") ? "time" : occurred.length === 10 ? "day" : occurred.length === 7 ? "month" : "year";
}

// happened formats an event's time, in its writer's precision.
export function happened(occurred: string) {
  switch (kindOf(occurred)) {
    case "time":
      return exact(occurred);
    case "day":
      return dayOf(occurred);
    case "month":
      return i18n.language === "en" ? occurred : dates({ month: "long", year: "numeric", timeZone: "UTC" }).format(new Date(occurred));
    default:
      return occurred;
  }
}

// dayHappened is happened without the time of the day, for lists.
export const dayHappened = (occurred: string) => happened(kindOf(occurred) === "time" ? occurred.slice(0, 10) : occurred);

// localOf is a time as a field of local time takes it, to the minute.
export function localOf(time: string) {
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
