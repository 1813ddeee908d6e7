import type { digestNames, receiverKindNames } from "../../schema/notifications.ts";
import { nextRunTime } from "../schedules/schedule-times.ts";
import type { EventType, NamedSite } from "./events.ts";

/** Where messages go, and in which form. */
export type ReceiverKind = (typeof receiverKindNames)[number];
export const receiverKinds = {
  webhook: "JSON with a signature, as Standard Webhooks says",
  slack: "as Slack's incoming webhooks read it",
  teams: "as a workflow of Teams reads it",
  mail: "text and HTML to up to 20 addresses",
} as const satisfies Record<ReceiverKind, string>;

/** When messages are sent: at once, or collected in one. */
export type Digest = (typeof digestNames)[number];
export const digests = {
  none: "at once",
  daily: "collected: every day at 08:00",
  weekly: "collected: Mondays at 08:00",
} as const satisfies Record<Digest, string>;

/** Which events of which sites a receiver hears of. */
export type Interests = {
  events: readonly EventType[];
  /** The schedule that declares it: it hears of its runs alone. null for one of the account. */
  schedule_id: string | null;
  /** Starting URLs; with `tags`: sites that are named or have one of the tags; all when both are empty. */
  site_urls: readonly string[];
  tags: readonly string[];
};

/** What happens belongs to. */
export type About = {
  /** null for what is about no site. */
  site: (NamedSite & { tags: readonly string[] }) | null;
  /** The schedule whose run it is; null for none. */
  scheduleId: string | null;
};

export function hearsOf(
  { events, site_urls, tags, schedule_id: declaredBy }: Interests,
  type: EventType,
  { site, scheduleId }: About,
): boolean {
  if (!events.includes(type)) return false;
  if (declaredBy !== null) return declaredBy === scheduleId;
  if (site === null || (site_urls.length === 0 && tags.length === 0)) return true;
  return site_urls.includes(site.url) || site.tags.some((tag) => tags.includes(tag));
}

/** When a message of something that happens now is sent: at once, or with what is collected. */
export function sentAt({ digest, time_zone }: { digest: Digest; time_zone: string }, now: Date): Date {
  if (digest === "none") return now;
  const at = { at: "08:00", timeZone: time_zone };
  const times =
    digest === "daily" ? { every: "day" as const, ...at } : { every: "week" as const, weekday: "monday", ...at };
  return nextRunTime(times, "", now) ?? now;
}

const MINUTE = 60_000;
/** Words without a comma before the last one. */
const list = new Intl.ListFormat("en-GB");
/** After each failed attempt the next one follows later: about a day in all. */
const PAUSES_MINUTES = [1, 5, 30, 120, 360, 900];

/** The pauses in words: "1, 5 and 30 minutes, 2, 6 and 15 hours". */
export const PAUSES_TEXT = [
  `${list.format(PAUSES_MINUTES.filter((minutes) => minutes < 60).map(String))} minutes`,
  `${list.format(PAUSES_MINUTES.filter((minutes) => minutes >= 60).map((minutes) => String(minutes / 60)))} hours`,
].join(", ");

/** When the next attempt is made after so many failed ones; undefined when no further one is made. */
export function nextAttempt(failed: number, now: Date): Date | undefined {
  const pause = PAUSES_MINUTES[failed - 1];
  return pause === undefined ? undefined : new Date(now.getTime() + pause * MINUTE);
}

const DAY = 24 * 60 * MINUTE;
/** A receiver to which nothing got through for so long is disabled. What was missed is kept as long. */
export const DISABLED_AFTER_MS = 7 * DAY;
/** What is told once is remembered so long: longer than a month, whose pages run out once. */
export const TOLD_MS = 60 * DAY;
/** A delivery stays so long in the log, and can be sent again. */
export const LOGGED_MS = 30 * DAY;
/** Both signatures are sent so long after the secret was changed. */
export const OLD_SECRET_MS = DAY;

/** How a delivery can be. */
export const deliveryStates = ["collected", "waiting", "failing", "delivered", "given_up", "missed"] as const;

/** How far back the log is read, in hours. */
export const deliveryPeriods = { "24h": 24, "7d": 7 * 24, "30d": 30 * 24 } as const;
export type DeliveryPeriod = keyof typeof deliveryPeriods;

/** What was sent, as the log shows it: without addresses and secrets that give access. */
export type SentRequest = { headers: Record<string, string>; body: string };

/** What became of an attempt. */
export type Outcome = {
  /** The HTTP status, or that of SMTP; null without an answer. */
  status: number | null;
  /** The beginning of the answer, or why there is none. */
  answer: string;
  delivered: boolean;
};
