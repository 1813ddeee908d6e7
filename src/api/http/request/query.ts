import { validate as isUuid } from "uuid";
import type { Page, TagFilter } from "../../../database/lists.ts";
import { isStorable } from "../../../database/stored-text.ts";
import { type Folder, readFolder } from "../../../domain/addresses/section.ts";
import type { QueryParameter } from "../../openapi/operation.ts";
import { malformed } from "../response/errors.ts";

/** A request's query parameters, checked against those of its route. */
export type Query = {
  text(name: string): string | undefined;
  /** One of the given values. */
  oneOf<Value extends string>(name: string, values: readonly Value[], fallback: Value): Value;
  /** One of the given values, or undefined when it is left out. */
  choice<Value extends string>(name: string, values: readonly Value[]): Value | undefined;
  /** The order that `sort` asks for: `<key>-asc` or `<key>-desc`. */
  sort<Key extends string>(keys: readonly Key[]): { key: Key; direction: "asc" | "desc" } | undefined;
  /** A numeric id. */
  id(name: string): string | undefined;
  /** A UUID as it is stored: in lower case, however the client writes it. */
  uuid(name: string): string | undefined;
  /** A time in UTC, as responses have it, or the beginning of a day. */
  time(name: string): Date | undefined;
  /** A number of hexadecimal digits. */
  digest(name: string, digits: number): string | undefined;
  /** The folder in `filter[path]`. */
  folder(): Folder | undefined;
  tags(): TagFilter | undefined;
  page(): PageRequest;
  /**
   * The requested page of a list that has cursors.
   *
   * @param read returns the place in the list that a decoded cursor stands for; undefined for an invalid cursor
   */
  cursor<Place>(read: (cursor: unknown) => Place | undefined): { size: number; after: Place | undefined };
};

/** The requested page, numbered from 1. */
export type PageRequest = Page & { number: number; size: number };

export const DEFAULT_SIZE = 25;
export const MAX_SIZE = 100;
/** Keeps offsets within PostgreSQL's and JavaScript's integers. */
export const MAX_NUMBER = 1_000_000;

/**
 * Reads the query of a request. Names are compared literally, brackets included
 * (`filter[tags][mode]`): with a fixed list of names there is no structure to parse,
 * and a crafted name cannot build one.
 *
 * @throws RequestError 400 that names the parameter; so do the functions of the result
 */
export function readQuery(search: URLSearchParams, parameters: readonly Pick<QueryParameter, "name">[] = []): Query {
  const known = parameters.map(({ name }) => name);
  for (const name of new Set(search.keys())) {
    if (!known.includes(name)) {
      const allowed = known.length > 0 ? `its parameters are ${known.join(", ")}` : "it takes no parameters";
      throw bad(name, "unknown_parameter", `${JSON.stringify(name)} is not a parameter of this address; ${allowed}.`);
    }
    const values = search.getAll(name);
    if (values.length > 1) throw bad(name, "repeated_parameter", `${name} is given ${values.length} times.`);
    if (values[0]?.includes("\0")) throw bad(name, "invalid_parameter", `${name} contains a NUL character.`);
  }
  const text = (name: string) => search.get(name) ?? undefined;
  const matching = (name: string, pattern: Pick<RegExp, "test">, what: string) => {
    const value = text(name);
    if (value === undefined || pattern.test(value)) return value;
    throw invalid(name, value, what);
  };
  const integer = (name: string, fallback: number, max: number) => {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : 0;
    if (number >= 1 && number <= max) return number;
    throw invalid(name, value, `a whole number from 1 to ${max}`);
  };
  return {
    text,
    oneOf(name, values, fallback) {
      const value = text(name) ?? fallback;
      const allowed = values.find((candidate) => candidate === value);
      if (allowed) return allowed;
      throw invalid(name, value, `one of ${values.join(", ")}`);
    },
    choice(name, values) {
      return text(name) === undefined ? undefined : this.oneOf(name, values, values[0] as (typeof values)[number]);
    },
    sort<Key extends string>(keys: readonly Key[]) {
      const orders = sortOrders(keys);
      const order = this.choice("sort", Object.keys(orders));
      return order === undefined ? undefined : orders[order];
    },
    id: (name) => matching(name, NUMERIC_ID, "a numeric id"),
    uuid: (name) => matching(name, { test: isUuid }, "a UUID")?.toLowerCase(),
    time(name) {
      const value = matching(name, TIME, "a time such as 2026-11-24T11:47:00, or a day such as 2026-11-24");
      if (value === undefined) return undefined;
      const time = new Date(`${value.slice(0, 10)}T${value.slice(11) || "00:00:00"}Z`);
      // 30 February is no day, and would be one of March.
      if (!Number.isNaN(time.getTime()) && time.toISOString().startsWith(value.slice(0, 10))) return time;
      throw invalid(name, value, "a day that there is");
    },
    digest: (name, digits) =>
      matching(name, new RegExp(`^[0-9a-f]{${digits}}$`), `${digits} hexadecimal digits in lower case`),
    folder() {
      const value = text("filter[path]");
      const folder = value === undefined ? undefined : readFolder(value);
      if (value === undefined || folder) return folder;
      throw invalid(
        "filter[path]",
        value,
        "the path of a folder, which begins and ends with a slash, such as /products/",
      );
    },
    tags() {
      const [modeName, listName] = ["filter[tags][mode]", "filter[tags][list]"];
      const value = text(listName);
      if (value === undefined && text(modeName) === undefined) return undefined;
      const mode = this.oneOf(modeName, ["any", "all", "none"], "any");
      const list = (value ?? "")
        .split(",")
        .map((tag) => tag.trim())
        .filter((tag) => tag !== "");
      if (list.length === 0) throw invalid(listName, value ?? "", "a comma-separated list of tags");
      return { mode, list };
    },
    page() {
      const number = integer("page[number]", 1, MAX_NUMBER);
      const size = integer("page[size]", DEFAULT_SIZE, MAX_SIZE);
      return { number, size, limit: size, offset: (number - 1) * size };
    },
    cursor(read) {
      const cursor = text("page[after]");
      const after = cursor === undefined ? undefined : read(decodeCursor(cursor));
      if (cursor !== undefined && after === undefined)
        throw invalid("page[after]", cursor, "copied from links.next of a page of this list");
      return { size: integer("page[size]", DEFAULT_SIZE, MAX_SIZE), after };
    },
  };
}

/** The orders that a list can have, by the values of `sort`. */
export function sortOrders<Key extends string>(
  keys: readonly Key[],
): Record<string, { key: Key; direction: "asc" | "desc" }> {
  return Object.fromEntries(
    keys.flatMap((key) => (["asc", "desc"] as const).map((direction) => [`${key}-${direction}`, { key, direction }])),
  );
}

/** A place in a list as an opaque text, which clients send back. */
export function encodeCursor(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** @returns undefined for a text that is not a cursor */
function decodeCursor(cursor: string): unknown {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return isStorable(place) ? place : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the request asks for muted issues instead of the others. */
export function mutedIn(query: Query): boolean {
  return query.oneOf("filter[muted]", ["true", "false"], "false") === "true";
}

/**
 * The ids in `filter[id]`.
 *
 * @param what the form of one: `UUIDs`
 * @throws RequestError 400
 */
export function idsIn(query: Query, isId: (text: string) => boolean, what: string): string[] | undefined {
  const ids = query.text("filter[id]")?.split(",");
  if (!ids || (ids.length <= MAX_SIZE && ids.every(isId))) return ids;
  throw bad("filter[id]", "invalid_parameter", `filter[id] has at most ${MAX_SIZE} ${what}, with commas between them.`);
}

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2})?$/;

/** Up to 18 digits, which always fit a bigint. */
const NUMERIC_ID = /^[1-9][0-9]{0,17}$/;

export function isNumericId(text: string): boolean {
  return NUMERIC_ID.test(text);
}

export { isUuid };

function invalid(name: string, value: string, allowed: string): Error {
  const received = JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
  return bad(name, "invalid_parameter", `${name} is ${received}; it must be ${allowed}.`);
}

function bad(parameter: string, code: string, detail: string): Error {
  return malformed(code, detail, { parameter });
}
