import { readFile, writeFile } from "node:fs/promises";
import type { Message } from "../src/messages/message.ts";
import { compare, type Lone } from "./compare.ts";
import { explain } from "./disagreements.ts";
import { categories } from "./generator/categories.ts";
import type { TestDocument } from "./generator/families.ts";
import type { NuMessage } from "./nu-server.ts";

/** A document with the lines on which Nu reports errors. */
export type Recorded = {
  category: string;
  contentType: string;
  /** Lines with errors of Nu's. */
  nu: number[];
  /** Lines with errors of ours, where they are others. */
  ours?: number[];
  /** Why they are others, where ours follow the standard. */
  why?: string;
  source: string;
};

const FILE = new URL("./sample.ndjson", import.meta.url);
const DOCUMENTS = 500;
const MAX_LENGTH = 900;

/** Takes valid and invalid documents of each category, until there are enough. */
export function createRecorder() {
  const taken = new Map<string, Recorded[]>();
  return {
    add({ category, contentType, source }: TestDocument, nu: readonly NuMessage[], ours: readonly Message[]): void {
      const comparison = compare(nu, ours);
      if (source.length > MAX_LENGTH || !comparison) return;
      const nuLines = linesOf(nu);
      const ourLines = linesOf(ours);
      const share = categories[category.split(":")[0] ?? ""]?.share ?? 0;
      const key = `${category.split(":")[0]} ${nuLines.length > 0}`;
      const found = taken.get(key) ?? [];
      taken.set(key, found);
      if (found.length >= Math.ceil((DOCUMENTS * share) / 200)) return;
      const isSame = JSON.stringify(nuLines) === JSON.stringify(ourLines);
      const why = isSame ? undefined : reasonOf(comparison.lone);
      found.push({
        category,
        contentType,
        nu: nuLines,
        ...(!isSame && { ours: ourLines }),
        ...(why !== undefined && { why }),
        source,
      });
    },
    async write(): Promise<number> {
      const all = [...taken.values()].flat().sort((a, b) => (a.category < b.category ? -1 : 1));
      await writeFile(FILE, all.map((one) => `${JSON.stringify(one)}\n`).join(""));
      return all.length;
    },
  };
}

function reasonOf(lone: readonly Lone[]): string | undefined {
  const explanations = lone.map(explain);
  return explanations.every((one) => one?.right === "ours") ? explanations[0]?.why : undefined;
}

/** The lines with errors, in their order. What is after the place where Nu gives up is left to the reader. */
export function linesOf(messages: readonly (NuMessage | Message)[]): number[] {
  const errors = messages.filter(({ type }) => type === "error");
  return [...new Set(errors.map(({ lastLine = 0 }) => lastLine))].sort((a, b) => a - b);
}

export async function readSample(): Promise<Recorded[]> {
  const text = await readFile(FILE, "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Recorded]));
}
