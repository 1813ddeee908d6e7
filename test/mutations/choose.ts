import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { createRandom } from "../../packages/html-conformance/comparison/generator/random.ts";
import { roomOf } from "./imports.ts";
import { KINDS, type Mutation, mutationsOf } from "./mutate.ts";

/** A mutation of a file of a tree. The same line of another version of the file has the same `key`. */
export type Choice = { file: string; mutation: Mutation; key: string };

/** All mutations of a tree's sources in files that begin with `only`. */
export function allMutations(tree: string, only = ""): Choice[] {
  const files = globSync("{src,packages/*/src}/**/*.ts", { cwd: tree }).filter((file) => file.startsWith(only));
  return files.toSorted().flatMap((file) => {
    const source = readFileSync(path.join(tree, file), "utf8");
    const lines = source.split("\n");
    const seen = new Map<string, number>();
    return mutationsOf(file, source).map((mutation) => {
      const key = [file, lines[mutation.line - 1]?.trim(), mutation.what].join("\n");
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      return { file, mutation, key: `${key}\n${times}` };
    });
  });
}

/**
 * Puts mutations in an order by a seed, in which each beginning has about as many of each room, and of each room as
 * many of each kind, as there are.
 */
export function inTurns(all: readonly Choice[], seed: number): Choice[] {
  const random = createRandom(seed);
  const sorted = all.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const rooms = [...Map.groupBy(sorted, ({ file }) => roomOf(file)).values()].map((ofRoom) =>
    takeTurns(
      random.shuffle(KINDS).map((kind) => random.shuffle(ofRoom.filter(({ mutation }) => mutation.kind === kind))),
    ),
  );
  return takeTurns(rooms);
}

function takeTurns<Item>(lists: readonly Item[][]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
