import type { Random } from "../../packages/html-conformance/comparison/generator/random.ts";

const MAX_LENGTH = 4_096;
/** Numbers and characters at which code changes its mind. */
const EDGES = [
  ..."\0\t\n\r \"'<>&;:=/\\#?%*$[]{}(),.-_@|^`~+!",
  ...["\u2028", "\u00a0", "\ufeff", "\ufffd", "\ud800", "\u{1f600}", "\u0130", "\u00df", "\u202e"],
  ...["0", "-1", "2147483648", "9007199254740993", "1e999", "NaN", "null", "true", "%00", "%2F", "%", "&#0;", "\r\n"],
];

/** Another input, made of inputs that were worth keeping. */
export function mutate(
  pool: readonly Buffer[],
  random: Random,
  options: { words: readonly string[]; maxLength?: number | undefined },
): Buffer {
  let input = random.pick(pool);
  for (let left = 1 + random.below(6); left > 0; left--) input = change(input, pool, random, options.words);
  return input.subarray(0, options.maxLength ?? MAX_LENGTH);
}

function change(input: Buffer, pool: readonly Buffer[], random: Random, words: readonly string[]): Buffer {
  const at = random.below(input.length + 1);
  const end = Math.min(input.length, at + 1 + random.below(random.pick([4, 16, 64])));
  const put = (what: Uint8Array, upTo = at): Buffer =>
    Buffer.concat([input.subarray(0, at), what, input.subarray(upTo)]);
  switch (random.below(8)) {
    case 0:
      return put(Buffer.from([random.below(256)]), Math.min(at + 1, input.length));
    case 1:
      return put(Buffer.alloc(0), end);
    case 2:
      return put(Buffer.from(random.pick(EDGES)), random.percent(50) ? end : at);
    case 3:
      return put(input.subarray(at, end));
    case 4:
      return put(Buffer.concat(Array.from({ length: random.pick([2, 8, 100]) }, () => input.subarray(at, end))));
    case 5: {
      const other = random.pick(pool);
      const from = random.below(other.length + 1);
      return put(other.subarray(from, from + random.below(64)), random.percent(50) ? end : at);
    }
    default:
      return words.length === 0 ? input : put(Buffer.from(random.pick(words)), random.percent(30) ? end : at);
  }
}
