import type { Random } from "./random.ts";

const MAX_LENGTH = 20_000;

/** The source with some of its characters dropped, doubled, exchanged or replaced, or a piece of another one in it. */
export function mutateBytes(source: string, other: string, random: Random): string {
  const at = random.below(source.length + 1);
  const end = at + random.below(30);
  const before = source.slice(0, at);
  const changed = random.pick([
    () => before + source.slice(end),
    () => before,
    () => source.slice(at),
    () => before + String.fromCharCode(random.below(random.percent(70) ? 128 : 65_536)) + source.slice(at),
    () => before + String.fromCharCode(random.below(128)) + source.slice(at + 1),
    () => before + source.slice(at, end).repeat(1 + random.below(200)) + source.slice(end),
    () => before + other.slice(random.below(other.length + 1)).slice(0, 200) + source.slice(at),
    () => source.slice(at) + before,
    () => [...source].map((character) => (random.percent(1) ? random.pick([..."<>/=\"'& -!?"]) : character)).join(""),
  ])();
  return changed.slice(0, MAX_LENGTH);
}
