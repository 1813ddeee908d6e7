/** The path of this service to continue with; undefined for anything else, so that no link leads to another site. */
export function localPath(next: string | null): string | undefined {
  if (!next || !/^\/(?![/\\])[\x21-\x7e]{0,1000}$/.test(next)) return undefined;
  return next;
}

/** A local path with one parameter set. The path is not resolved: `/.//host` would lead to another site. */
export function withParameter(next: string, name: string, value: string): string {
  const [address = "", fragment] = next.split("#", 2);
  const [path = "", search] = address.split("?", 2);
  const query = new URLSearchParams(search);
  query.set(name, value);
  return `${path}?${query}${fragment === undefined ? "" : `#${fragment}`}`;
}
