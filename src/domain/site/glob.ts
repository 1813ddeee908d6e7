/** A character, or any number of them: all, or all but slashes. */
type Token =
  | string
  | { crosses: boolean /** It may be left out together with the slash after it. */; isFolder: boolean };

/** A glob that is ready to be compared with URLs. */
export type Glob = { tokens: readonly Token[]; ofUrl: boolean; ofQuery: boolean };

/**
 * Reads a glob: `*` is any text without a slash, `**` any text, and all else is itself. With a scheme it is compared with
 * the whole URL, otherwise with the path; one without a slash at its start may begin in any folder. The query is compared
 * only if the glob has a `?`.
 *
 * @param text escaped like the URLs
 */
export function readGlob(text: string): Glob {
  const ofUrl = /^https?:\/\//i.test(text);
  const anchored = ofUrl || text.startsWith("/") ? text : `/**/${text}`;
  const tokens: Token[] = [];
  for (const [part] of anchored.matchAll(/\*+|[^*]+/g)) {
    if (!part.startsWith("*")) tokens.push(...part);
    else tokens.push({ crosses: part.length > 1, isFolder: false });
  }
  // `/**/` is one slash, too.
  const isFolder = (token: Token, index: number) =>
    typeof token !== "string" && token.crosses && tokens[index - 1] === "/" && tokens[index + 1] === "/";
  return {
    tokens: tokens.map((token, index) => (isFolder(token, index) ? { crosses: true, isFolder: true } : token)),
    ofUrl,
    ofQuery: text.includes("?"),
  };
}

/**
 * Whether a glob matches a URL, in time proportional to both lengths: no URL makes it slow.
 *
 * @param url absolute, in its normal form
 */
export function matchesGlob({ tokens, ofUrl, ofQuery }: Glob, url: string): boolean {
  const start = ofUrl ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", start);
  const end = query === -1 || ofQuery ? url.length : query;
  let states = new Set<number>();
  enter(tokens, states, 0);
  for (let at = start; at < end && states.size > 0; at += 1) states = after(tokens, states, url.charAt(at));
  return states.has(tokens.length);
}

/** The states that a character leads to. */
function after(tokens: readonly Token[], states: ReadonlySet<number>, character: string): Set<number> {
  const next = new Set<number>();
  for (const state of states) {
    const token = tokens[state];
    if (token === character) enter(tokens, next, state + 1);
    else if (token !== undefined && typeof token !== "string" && (token.crosses || character !== "/"))
      enter(tokens, next, state, true);
  }
  return next;
}

/** Adds a state and those that need no further character. @param stays whether a character was just taken there */
function enter(tokens: readonly Token[], states: Set<number>, state: number, stays = false): void {
  const token = tokens[state];
  const isWild = token !== undefined && typeof token !== "string";
  if (isWild && token.isFolder && !stays) enter(tokens, states, state + 2);
  if (states.has(state)) return;
  states.add(state);
  if (isWild) enter(tokens, states, state + 1);
}

/** The work of comparing a URL of 64 characters with globs, in the unit of search-cost.ts. */
export function globCost(globs: readonly string[]): number {
  return globs.reduce((sum, { length }) => sum + 2 * length, 0);
}
