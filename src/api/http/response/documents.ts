import type { Paginated } from "../../../database/lists.ts";
import type { Context, RouteResponse } from "../../context.ts";
import type { CursorList, Link, List, One, Resource } from "../../documents.ts";
import { encodeCursor, type PageRequest } from "../request/query.ts";

type DocumentResponse = Extract<RouteResponse, { document: object }>;

const jsonapi = { version: "1.0" } as const;

type Related<Urls> = { [Name in keyof Urls]: Urls[Name] extends string ? Link : Link | undefined };

/** Related links by name; undefined ones are left out. */
export function related<Urls extends Record<string, string | undefined>>(urls: Urls): Related<Urls> {
  const links = Object.entries(urls).flatMap(([name, url]) =>
    url === undefined ? [] : [[name, { links: { related: url } }]],
  );
  return Object.fromEntries(links) as Related<Urls>;
}

/** In UTC, without a time zone designator: 2026-01-31T12:00:00. */
export function timestamp(date: Date): string;
export function timestamp(date: Date | null): string | null;
export function timestamp(date: Date | null): string | null {
  return date ? date.toISOString().slice(0, 19) : null;
}

/** The response with one resource. */
export function one(data: Resource): DocumentResponse {
  return { status: 200, document: { data, jsonapi } satisfies One };
}

/** The response to a POST that created `data`. */
export function created(data: Resource, location: string): RouteResponse {
  return { status: 201, document: { data, jsonapi } satisfies One, headers: { Location: location } };
}

/**
 * The response with one page of a list; its links keep the request's other parameters. A page of large rows has
 * fewer than requested: `meta.page_size` says how many, and the links use that size.
 */
export function list<Row>(
  context: Context,
  page: PageRequest,
  listed: Paginated<Row> & { meta?: Record<string, unknown> },
  represent: (row: Row) => Resource,
): RouteResponse {
  const { size = page.size } = listed;
  const number = page.offset / size + 1;
  const last = Math.max(1, Math.ceil(listed.total / size));
  const pageLink = (linked: number) => {
    const query = new URLSearchParams(context.self.query);
    query.set("page[number]", String(linked));
    query.set("page[size]", String(size));
    return `${context.self.path}?${query}`;
  };
  const search = context.self.query.toString();
  return {
    status: 200,
    document: {
      data: listed.rows.map(represent),
      links: {
        self: search ? `${context.self.path}?${search}` : context.self.path,
        first: pageLink(1),
        prev: number > 1 ? pageLink(Math.min(number - 1, last)) : null,
        next: number < last ? pageLink(number + 1) : null,
        last: pageLink(last),
      },
      meta: { total: listed.total, page_size: size, ...listed.meta },
      jsonapi,
    } satisfies List,
  };
}

/**
 * The response with one page of a list that has cursors instead of page numbers. Links keep the request's other
 * parameters.
 *
 * @param next where the next page begins; undefined for the last page
 * @param meta members that only this list has
 */
export function cursorList(
  context: Context,
  data: Resource[],
  { size, next }: { size: number; next: unknown },
  meta: object = {},
): RouteResponse {
  const { path } = context.self;
  const link = (after: string | null) => {
    const query = new URLSearchParams(context.self.query);
    query.set("page[size]", String(size));
    query.delete("page[after]");
    if (after !== null) query.set("page[after]", after);
    return `${path}?${query}`;
  };
  const search = context.self.query.toString();
  return {
    status: 200,
    document: {
      data,
      links: {
        self: search ? `${path}?${search}` : path,
        first: link(null),
        next: next === undefined ? null : link(encodeCursor(next)),
      },
      meta: { page_size: size, ...meta },
      jsonapi,
    } satisfies CursorList,
  };
}
