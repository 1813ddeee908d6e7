import type { Message } from "../src/messages/message.ts";
import { createFuzzer, failureOf } from "./fuzz.ts";
import type { TestDocument } from "./generator/families.ts";
import { hostile } from "./hostile.ts";
import { showProgress } from "./progress.ts";

type Check = (source: string, contentType: string) => Message[];
type Family = Parameters<typeof createFuzzer>[0];

const MAX_FAILURES = 10;
const STEP = 10_000;
const HOSTILE_CPU_MS = 30_000;

/** Puts hostile documents and so many changed ones through the engine. @returns whether it stood all */
export function fuzz(check: Check, family: (seed: number) => Iterable<TestDocument>, seed: number, wanted: number) {
  let failures = 0;
  for (const [name, make] of Object.entries(hostile)) {
    const before = process.cpuUsage();
    const failure = failureOf(check, make(), HOSTILE_CPU_MS);
    const megabytes = Math.round(process.memoryUsage().rss / 1e6);
    console.log(
      `${(process.cpuUsage(before).user / 1e6).toFixed(1).padStart(6)} s ${megabytes} MB  ${name}${failure ? `: ${failure}` : ""}`,
    );
    if (failure) failures++;
  }
  const document = createFuzzer(family as Family, seed);
  let slowest = { number: 0, ms: 0 };
  for (let number = 0; number < wanted && failures < MAX_FAILURES; number++) {
    const fuzzed = document(number);
    const started = performance.now();
    const failure = failureOf(check, fuzzed);
    const ms = performance.now() - started;
    if (ms > slowest.ms) slowest = { number, ms };
    if (failure) {
      failures++;
      console.log(`Document ${number} of seed ${seed}: ${failure}\n${JSON.stringify(fuzzed).slice(0, 3_000)}`);
    }
    if ((number + 1) % STEP === 0) console.log(`${number + 1} documents, ${failures} failures.`);
    showProgress("documents", number + 1, wanted);
  }
  console.log(
    `${wanted} documents of seed ${seed}: ${failures} failures; the slowest, ${slowest.number}, took ${Math.round(slowest.ms)} ms.`,
  );
  return failures === 0;
}
