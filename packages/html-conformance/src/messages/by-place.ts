import type { Message } from "./message.ts";
import { createSourceLines } from "./source-lines.ts";

/** Messages of one rule that begin at one place, by that: `12 img/alt`. */
export type ByPlace = ReadonlyMap<string, readonly Message[]>;

/** The errors of a source by their places. @param offsetIn where a place is in the source that this one is a changed copy of */
export function errorsByPlace(
  source: string,
  messages: readonly Message[],
  offsetIn: (offset: number) => number = (offset) => offset,
): ByPlace {
  const lines = createSourceLines(source);
  const errors = messages.filter(({ type }) => type === "error");
  return grouped(errors, (message) => placeKey(offsetIn(lines.startOf(message)), message));
}

/** Those that the others do not have as often: of several equal ones, as many as there are more. */
export function moreThan(some: ByPlace, others: ByPlace): ByPlace {
  const more = [...some].map(([place, found]) => [place, found.slice(others.get(place)?.length ?? 0)] as const);
  return new Map(more.filter(([, found]) => found.length > 0));
}

/** How a place is named by which messages of two sources are compared. */
export function placeKey(offset: number, { rule }: Pick<Message, "rule">): string {
  return `${offset} ${rule}`;
}

/** Items by a key. (`Map.groupBy` is newer than the oldest Node.) */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
