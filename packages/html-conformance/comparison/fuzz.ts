import { Script } from "node:vm";
import type { Message } from "../src/messages/message.ts";
import type { TestDocument } from "./generator/families.ts";
import { mutateBytes } from "./generator/mutate-bytes.ts";
import { addCharacter, mutateSource } from "./generator/mutate-source.ts";
import { createRandom } from "./generator/random.ts";

export type FuzzDocument = Pick<TestDocument, "source" | "contentType">;

const POOL = 300;
const TYPES = ["text/html; charset=utf-8", "text/html", "application/xhtml+xml", "image/svg+xml"];
/** Values from the document or the grammar that look as if something were missing. */
const isQuoted = /"undefined"|undefine|NaN/;
/** Processor time of one document: a hundred times the usual one and more. */
const MAX_CPU_MS = 10_000;
/** After which a document is taken to hang, on a machine that has other things to do, too. */
const MAX_MS = 120_000;

/** Documents of the generator's, changed in many places: each by the seed and its number alone. */
export function createFuzzer(family: (seed: number) => Iterable<TestDocument>, seed: number) {
  const pool: FuzzDocument[] = [];
  for (let next = seed; pool.length < POOL; next++)
    for (const document of withoutJudge(family(next))) pool.push(document);

  return function document(number: number): FuzzDocument {
    const random = createRandom(Math.imul(seed + 1, 0x85ebca6b) + number);
    const { contentType, source } = random.pick(pool);
    let changed = source;
    for (let left = 1 + random.below(8); left > 0; left--)
      changed = random.pick([
        () => mutateSource(changed, random).source,
        () => addCharacter(changed, random).source,
        () => mutateBytes(changed, random.pick(pool).source, random),
        () => mutateBytes(changed, random.pick(pool).source, random),
      ])();
    return { source: changed, contentType: random.percent(85) ? contentType : random.pick(TYPES) };
  };
}

/** A family as if nobody complained of its documents. */
function* withoutJudge(family: Iterable<TestDocument>): Iterable<TestDocument> {
  const documents = family[Symbol.iterator]();
  for (let step = documents.next([] as never); !step.done; step = documents.next([] as never)) yield step.value;
}

/** Why the engine fails on a document: it throws, takes too long, or points outside of the source. */
export function failureOf(
  check: (source: string, contentType: string) => Message[],
  { source, contentType }: FuzzDocument,
  maxCpuMs = MAX_CPU_MS,
): string | undefined {
  let messages: Message[] = [];
  Object.assign(globalThis, {
    checkFuzzed: () => {
      messages = check(source, contentType);
    },
  });
  const before = process.cpuUsage();
  try {
    new Script("globalThis.checkFuzzed()").runInThisContext({ timeout: MAX_MS });
  } catch (error) {
    return error instanceof Error ? `${error.message}\n${error.stack}`.slice(0, 1_000) : String(error);
  }
  const { user } = process.cpuUsage(before);
  if (user > maxCpuMs * 1_000) return `It took ${Math.round(user / 1_000)} ms of processor time.`;
  const lines = source.split(/\r\n|\r|\n/).length;
  const wrong = messages.find(
    ({ lastLine, lastColumn, firstLine = lastLine, message }) =>
      lastLine < 1 ||
      lastLine > lines ||
      lastColumn < 0 ||
      firstLine > lastLine ||
      (/undefined|NaN/.test(message) && !isQuoted.test(source + message)),
  );
  return wrong && `A message is wrong: ${JSON.stringify(wrong).slice(0, 500)}`;
}
