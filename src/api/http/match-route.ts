import type { Route } from "../context.ts";
import { methodNotAllowed, notFound } from "./response/errors.ts";

/** A route with its path as a pattern. */
export type Matcher = { route: Route; pattern: RegExp; names: string[] };

/** A route's path as a pattern; a parameter matches one segment of a path. */
export function matcherOf(route: Route): Matcher {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const pattern = route.path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "([^/]+)");
  return { route, names, pattern: new RegExp(`^${pattern}$`) };
}

/** The route of a path below /api/v1, with its parameters. @throws RequestError 404 or 405 */
export function matchOf(matchers: readonly Matcher[], method: Route["method"], path: string) {
  const matching = matchers.flatMap((matcher) => {
    const match = matcher.pattern.exec(path);
    return match ? [{ ...matcher, values: match.slice(1) }] : [];
  });
  const found = matching.find(({ route }) => route.method === method);
  if (!found)
    throw matching.length === 0
      ? notFound("address")
      : methodNotAllowed(method, matching.map(({ route }) => route.method).join(", "));
  const params = Object.fromEntries(found.names.map((name, index) => [name, decoded(found.values[index] ?? "")]));
  return { route: found.route, params };
}

/** @throws RequestError 404 for what is not percent-encoded UTF-8 */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw notFound("address");
  }
}
