/** A path of this service to go on to; undefined for anything else, so that no link leads away from here. */
export function localPath(next: string | null): string | undefined {
  if (!next || !/^\/(?![/\\])[\x21-\x7e]{0,1000}$/.test(next)) return undefined;
  return next;
}

/** Where a local path leads, with one parameter set. The path stays as it is: resolving `/.//host` would lead away. */
export function withParameter(next: string, name: string, value: string): string {
  const [address = "", fragment] = next.split("#", 2);
  const [path = "", search] = address.split("?", 2);
  const query = new URLSearchParams(search);
  query.set(name, value);
  return `${path}?${query}${fragment === undefined ? "" : `#${fragment}`}`;
}
