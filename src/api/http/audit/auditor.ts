import { type Change, changesOf } from "../../../domain/audit/changes.ts";
import { nameIn, type Target } from "../../../domain/audit/entry.ts";
import { RequestError } from "../../../domain/errors.ts";
import type { SpecLimits } from "../../../schema/validate.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { type Matcher, matcherOf, matchOf } from "../match-route.ts";
import { readQuery } from "../request/query.ts";
import { doerOf, recorded } from "./record.ts";

/** Runs a route's handler, with an entry in the audit log for what it changes. */
export type Auditor = (route: Route, context: Context, run: () => Promise<RouteResponse>) => Promise<RouteResponse>;

/** A resource as everybody who may read it sees it, by its path. */
type Shown = { path: string; data: Resource };

/**
 * Writes the log of what callers change, generically: on what by the handler that reads the path, before and after by its
 * documents. They are read as a token sees them that may only read: what is shown to nobody but writers is not kept. Routes that
 * need no token write their own entries, because only they know whose these are.
 */
export function auditor(routes: readonly Route[], limits: SpecLimits): Auditor {
  const matchers: readonly Matcher[] = routes.filter(isOne).map(matcherOf);
  const known = new Set(matchers.map(({ route }) => route.path));
  /** Made when it is first needed: most starts of a service change nothing. */
  let settable: Map<string, Set<string>> | undefined;
  const inTurn = oneAfterTheOther();

  /** What a path shows; undefined for what is not there, or not shown. */
  async function read(context: Context, path: string): Promise<Shown | undefined> {
    const caller = context.caller && { ...context.caller, scope: "read" as const };
    try {
      const { route, params } = matchOf(matchers, "GET", path);
      const query = new URLSearchParams();
      const response = await route.handle({
        ...{ ...context, params, caller, attributes: {}, self: { path: `${context.base}${path}`, query } },
        ...{ query: readQuery(query, route.parameters), header: () => undefined },
      });
      const data = dataOf(response);
      return data && { path, data };
    } catch (error) {
      if (error instanceof RequestError) return undefined;
      throw error;
    }
  }

  async function targetOf(context: Context, route: Route, { path, data }: Shown): Promise<Target> {
    const hides = route.audit?.hidesId === true;
    return {
      type: data.type,
      id: hides ? null : data.id,
      name: nameOf(data),
      path: hides ? null : path,
      siteUrl: await siteOf(context, { path, data }),
    };
  }

  /** The site that something belongs to: its own, or that of the report or site that it names or is below of. */
  async function siteOf(context: Context, { path, data }: Shown): Promise<string | null> {
    const own = startingUrl(data);
    if (own !== null) return own;
    const { report, site } = (data.relationships ?? {}) as Record<string, { links: { related: string } } | undefined>;
    const related = (report ?? site)?.links.related;
    const above = related?.startsWith(context.base) ? related.slice(context.base.length) : topOf(path);
    const found = above === path ? undefined : await read(context, above);
    return found ? startingUrl(found.data) : null;
  }

  /** What has changed, as documents show it. What is only done to something, such as a test, has no fields. */
  function changesIn({ body }: Route, given: Context["attributes"], before?: Shown, after?: Shown): Change[] {
    settable ??= settableAttributes(routes, limits);
    const names = settable.get(body?.type ?? before?.data.type ?? "");
    if (!names) return [];
    return changesOf({ before: before?.data.attributes, after: after?.data.attributes, given }, names);
  }

  return async (route, context, run) => {
    const { audit, id } = route;
    const { caller, attributes } = context;
    if (!audit || !caller || route.method === "GET" || route.isSafe) return run();
    const subject = subjectOf(route.path, known);
    const path = subject && filledIn(subject, context.params);
    const isItself = subject === route.path;
    const change = async (): Promise<RouteResponse> => {
      const found = path === undefined ? undefined : await read(context, path);
      const before = isItself ? found : undefined;
      const target = found ? await targetOf(context, route, found) : null;
      return recorded(context, { doer: doerOf(caller), id, audit, target }, run, async (response) => {
        const after = await shownAfter(context, route, { response, path: isItself ? path : undefined, read });
        const changes = isItself || route.body ? changesIn(route, attributes, before, after) : [];
        const isOfAfter = after && (isItself || !subject);
        return { target: isOfAfter ? await targetOf(context, route, after) : target, changes };
      });
    };
    return path === undefined ? change() : inTurn(`${caller.accountId} ${path}`, change);
  };
}

const isOne = ({ method, success }: Route): boolean => method === "GET" && success.kind === "one";

/** What a response shows of what was made or changed. One with a secret is not looked at: it is read again. */
async function shownAfter(
  context: Context,
  route: Route,
  {
    response,
    path,
    read,
  }: {
    response: RouteResponse;
    path: string | undefined;
    read: (context: Context, path: string) => Promise<Shown | undefined>;
  },
): Promise<Shown | undefined> {
  const data = dataOf(response);
  if (!data) return undefined;
  const location = "headers" in response ? response.headers?.Location : undefined;
  const own = path ?? (location?.startsWith(context.base) ? location.slice(context.base.length) : undefined);
  if (route.showsSecret) return own === undefined ? undefined : read(context, own);
  return { path: own ?? "", data };
}

function dataOf(response: RouteResponse): Resource | undefined {
  const { data } = "document" in response ? (response.document as { data?: Resource | Resource[] }) : {};
  return data === undefined || Array.isArray(data) ? undefined : data;
}

/** The path of what a route is about: its own, or the nearest above it that shows one thing; undefined for a collection. */
function subjectOf(path: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(path)) return path;
  const above = path.slice(0, path.lastIndexOf("/"));
  return above === "" ? undefined : subjectOf(above, known);
}

function filledIn(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

/** `/reports/1` of `/reports/1/web_pages/2`. */
function topOf(path: string): string {
  return path.split("/").slice(0, 3).join("/");
}

function startingUrl({ attributes }: Resource): string | null {
  const { starting_url } = attributes as Record<string, unknown>;
  return typeof starting_url === "string" ? starting_url : null;
}

const NAMES = ["name", "title", "host", "starting_url", "url", "reason", "message", "rule", "criterion"] as const;

/** What people call it: the first of its attributes that is a name. */
function nameOf({ attributes }: Resource): string | null {
  const values = attributes as Record<string, unknown>;
  const { name } = (values.guest ?? {}) as { name?: unknown };
  const found = [...NAMES.map((key) => values[key]), name].find((value) => typeof value === "string" && value !== "");
  return typeof found === "string" ? nameIn(found) : null;
}

/** The attributes that requests may set, by the type of resource. */
function settableAttributes(routes: readonly Route[], limits: SpecLimits): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { body } of routes) {
    if (!body) continue;
    const { properties = {} } = body.attributes(limits) as { properties?: object };
    found.set(body.type, new Set([...(found.get(body.type) ?? []), ...Object.keys(properties)]));
  }
  return found;
}

/** Changes of one thing are made one after the other in this process, so that each says truly what was before. */
function oneAfterTheOther(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const own = (before ?? Promise.resolve()).then(work, work);
    last.set(key, own);
    try {
      return await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}
