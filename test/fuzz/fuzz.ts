import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createRandom } from "../../packages/html-conformance/comparison/generator/random.ts";
import { readCorpus, writeCorpus } from "./corpus.ts";
import { measureCoverage } from "./coverage.ts";
import { mutate } from "./mutate.ts";
import type { FuzzTarget } from "./target.ts";

const SOURCES = ["src", "packages/html-conformance/src"].map(
  (folder) => `${pathToFileURL(path.resolve(import.meta.dirname, "../..", folder)).href}/`,
);
const BATCH = 256;
/** An input that keeps the processor busy for longer is a fault: it is a few kilobytes long. */
const MAX_CPU_MS = 1_000;

export type Fuzzed = { inputs: number; covered: number; kept: number; failure?: { error: unknown; file: string } };

/**
 * Changes inputs for a while, and keeps those that make code run that has not run before.
 *
 * @param options.keep writes what was kept into the corpus
 */
export async function fuzz(
  target: FuzzTarget,
  options: { seconds: number; seed: number; keep: boolean },
): Promise<Fuzzed> {
  const random = createRandom(options.seed);
  const coverage = measureCoverage(SOURCES);
  const kept: Buffer[] = [];
  const candidates = [...readCorpus(target.name), ...target.seeds.map((seed) => Buffer.from(seed as string))];
  const until = performance.now() + options.seconds * 1000;
  let inputs = 0;

  async function run(batch: readonly Buffer[]): Promise<Fuzzed["failure"]> {
    note(target, batch);
    for (const input of batch) {
      inputs++;
      const error = await tryOne(target, input);
      if (error !== undefined) return { error, file: keepFailure(target, input) };
    }
    return undefined;
  }
  /** One by one, to see which of them it was. */
  async function sort(batch: readonly Buffer[]): Promise<Fuzzed["failure"]> {
    for (const input of batch) {
      const failure = await run([input]);
      if (failure) return failure;
      if (coverage.added() > 0) kept.push(input);
    }
    return undefined;
  }
  const end = (failure?: Fuzzed["failure"]): Fuzzed => {
    if (options.keep) writeCorpus(target.name, kept);
    return { inputs, covered: coverage.total(), kept: kept.length, ...(failure && { failure }) };
  };

  const failure = await sort(candidates);
  if (failure) return end(failure);
  if (kept.length === 0) kept.push(Buffer.from(""));
  while (performance.now() < until) {
    const batch = Array.from({ length: BATCH }, () => mutate(kept, random, target));
    const failed = await run(batch);
    if (failed) return end(failed);
    if (coverage.peek() === 0) continue;
    const failedAlone = await sort(batch);
    if (failedAlone) return end(failedAlone);
  }
  return end();
}

/** @returns what went wrong with the input */
export async function tryOne(target: FuzzTarget, input: Buffer): Promise<unknown> {
  const before = process.cpuUsage();
  try {
    await target.run(input);
  } catch (error) {
    return error ?? new Error("It threw nothing.");
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  return ms > MAX_CPU_MS ? new Error(`It took ${ms.toFixed(0)} ms of processor time.`) : undefined;
}

/** For the case that one of them never ends. */
function note(target: FuzzTarget, batch: readonly Buffer[]): void {
  if (batch.length > 1)
    writeFileSync(fileOf(target, "last-batch"), JSON.stringify(batch.map((input) => input.toString("base64"))));
}

function keepFailure(target: FuzzTarget, input: Buffer): string {
  const file = fileOf(target, "failure");
  writeFileSync(file, input);
  return file;
}

function fileOf(target: FuzzTarget, what: string): string {
  const folder = path.join(tmpdir(), "site-validator-fuzz");
  mkdirSync(folder, { recursive: true });
  return path.join(folder, `${target.name.replaceAll(" ", "-")}.${what}`);
}
