import { familyOf, pairOf, type Suspect } from "./acts.ts";

/** How many families of addresses are read again for this: each takes a request. */
const MAX_FAMILIES = 50;
const MIN_LENGTH = 10;
/** How often digits, small and capital letters follow each other in what no person has written. */
const MIN_CHANGES = 4;

/**
 * Remembers one-time tokens that no name gives away: values that are long and random, and differ between two reads of the same
 * page. A value that stays is an id.
 */
export type TokenMemory = {
  /** Addresses with values that may be tokens, of families that nobody has asked about. They count as asked about then. */
  takeSuspects(urls: readonly string[]): Suspect[];
  /** Judges them by what the same page links to when it is read again. */
  learn(suspects: readonly Suspect[], again: readonly string[]): void;
  /** The name of a parameter of an address that was found to be a token. */
  tokenOf(url: string): string | undefined;
};

/** @param common pairs that are no tokens, because all links of a page carry them */
export function createTokenMemory(common: ReadonlySet<string> = new Set()): TokenMemory {
  const asked = new Set<string>();
  const tokens = new Map<string, string>();
  return {
    takeSuspects: (urls) =>
      urls.flatMap((url) => {
        const names = randomParameters(url, common);
        const family = names.length > 0 ? familyOf(url) : "";
        if (names.length === 0 || asked.has(family) || asked.size >= MAX_FAMILIES) return [];
        asked.add(family);
        return [{ url, family, names }];
      }),
    learn: (suspects, again) => {
      const stays = new Set(again);
      const families = new Set(suspects.some(({ url }) => !stays.has(url)) ? again.map(familyOf) : []);
      for (const { url, family, names } of suspects)
        if (!stays.has(url) && families.has(family)) tokens.set(family, names[0] ?? "");
    },
    tokenOf: (url) => (tokens.size > 0 && url.includes("?") ? tokens.get(familyOf(url)) : undefined),
  };
}

/** Names of parameters whose values look random, without those that all links carry. */
export function randomParameters(url: string, common: ReadonlySet<string> = new Set()): string[] {
  const parameters = url.includes("?") ? [...(URL.parse(url)?.searchParams ?? [])].slice(0, 30) : [];
  return parameters.filter((pair) => looksRandom(pair[1]) && !common.has(pairOf(pair))).map(([name]) => name);
}

/** One in 20,000 random texts of 32 hexadecimal digits changes more seldom than that between digits and letters. */
const HEXADECIMAL = /^[0-9a-f]{20,}$/i;

function looksRandom(value: string): boolean {
  if (HEXADECIMAL.test(value.replaceAll("-", ""))) return true;
  if (value.length < MIN_LENGTH || !/^[\w+/=.~-]+$/.test(value)) return false;
  const kinds = [...value].flatMap((one) =>
    /\d/.test(one) ? "0" : /[a-z]/.test(one) ? "a" : /[A-Z]/.test(one) ? "A" : [],
  );
  return kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length >= MIN_CHANGES;
}
