import type { Change } from "./changes.ts";

/**
 * Who did it:
 * - `person`: somebody who is signed in by name
 * - `token`: a token of the account, or somebody who is signed in with it
 * - `guest`: a token of a guest
 * - `link`: somebody who has a share link, a shared report or the address of a deploy hook
 * - `service`: a schedule at its time, or the service by itself
 * - `cluster`: whoever declared or changed a resource on the cluster
 */
export const actors = ["person", "token", "guest", "link", "service", "cluster"] as const;
export type Actor = (typeof actors)[number];

/** No more entries are counted of each kind of actor: a log of years would be read to its end for a number. */
export const MAX_COUNTED = 100_000;

/** What it is about, as people filter. */
export const areas = [
  ...(["runs", "sites", "schedules", "mutings", "people", "tokens", "sharing", "credentials", "receivers"] as const),
  ...(["deleted", "kept", "exports", "sign-ins"] as const),
] as const;
export type Area = (typeof areas)[number];

/** How it came: over HTTP, by a page, by a tool of an editor or agent, by a deploy hook, by itself, or by a declared resource. */
export const ways = ["api", "browser", "tools", "hook", "itself", "declared"] as const;
export type Way = (typeof ways)[number];

/** What an operation says of itself for the log. */
export type AuditedOperation = {
  /** What somebody did, after a name: "started a run". */
  verb: string;
  area: Area;
  /** The ids of what it changes open something: they are not kept. */
  hidesId?: boolean;
};

/** What was changed. */
export type Target = {
  type: string;
  id: string | null;
  /** What people call it; null for what has no name. */
  name: string | null;
  /** Its path in the API; null where there is none. */
  path: string | null;
  /** The starting URL of the site that it belongs to; null for what belongs to none. */
  siteUrl: string | null;
};

/** From where a request came. */
export type Origin = { via: Way; address: string | null; agent: string | null };

/** One entry, without its id. */
export type Entry = Origin & {
  accountId: string;
  at: Date;
  who: Actor;
  /** The token's; null for others. */
  whoId: string | null;
  /** null of a token whose name is not known yet: it is read. */
  whoName: string | null;
  /** The operation's id, or a name of the service's own. */
  operation: string;
  verb: string;
  area: Area;
  outcome: "done" | "unknown";
  target: Target | null;
  requestId: string | null;
  changes: readonly Change[];
};

/** What is known of an entry before its change, besides whose it is and when it began. */
export type StoredIntent = Omit<Entry, "accountId" | "at" | "outcome" | "changes" | "whoName">;

/** An entry of what the service does by itself. @param by who, such as a schedule */
export function ownEntry(
  { by, operation, verb, area }: { by: string; operation: string; verb: string; area: Area },
  of: { accountId: string; at: Date; target: Target | null; changes?: readonly Change[] },
): Entry {
  return {
    ...{ changes: [], ...of, who: "service", whoId: null, whoName: nameIn(by), operation, verb, area },
    ...{ outcome: "done", via: "itself", address: null, agent: null, requestId: null },
  };
}

/** What a request says besides who makes it. */
export type Requested = { at: Date; origin: Origin; requestId: string | null };

/** An entry of what a person does to itself: joins, or changes how it signs in. @param person without an id, if it is nobody here */
export function personEntry(
  { accountId, id, name }: { accountId: string; id: string | null; name: string },
  did: Pick<Entry, "operation" | "verb" | "area">,
  { origin, ...requested }: Requested,
  changes: readonly Change[] = [],
): Entry {
  const target = id === null ? null : { type: "person", id, name: nameIn(name), path: `/people/${id}`, siteUrl: null };
  return {
    ...{ ...origin, ...requested, ...did, accountId, who: "person", whoId: id, whoName: nameIn(name) },
    ...{ outcome: "done", target, changes },
  };
}

/** An entry of what an operator does by the command `admin`. */
export function adminEntry(
  did: Pick<Entry, "operation" | "verb" | "area">,
  of: { accountId: string; at: Date; target: Target | null; changes?: readonly Change[] },
): Entry {
  return ownEntry({ by: "site-validator admin", ...did }, of);
}

/** An entry of what was declared on the cluster. @param by the resource, `namespace/name` */
export function declaredEntry(
  { by, operation, verb, area }: { by: string; operation: string; verb: string; area: Area },
  of: { accountId: string; at: Date; target: Target; changes?: readonly Change[] },
): Entry {
  return { ...ownEntry({ by: `resource ${by}`, operation, verb, area }, of), who: "cluster", via: "declared" };
}

/** The name of the service in its own entries. */
export const OURSELVES = "Site Validator";

/** The most characters of a name in an entry: who gives names decides what people read. */
const MAX_NAME = 200;

/** A name on one line, of which nothing is longer than the log can show. */
export function nameIn(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME - 1)}…` : line;
}
