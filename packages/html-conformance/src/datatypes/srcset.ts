import { floatProblem, nonNegativeIntegerProblem } from "./numbers.ts";
import { isSpace, quote } from "./text.ts";
import { urlProblem } from "./url/url.ts";

/** A parsed srcset: why it is wrong, if it is, and whether one of its candidates has a width. */
export type ImageCandidates = { problem: string | undefined; hasWidth: boolean };

const MISSING = "an image between commas is missing";

type Candidate = { url: string; descriptors: string[] };

/**
 * Reads a srcset: https://html.spec.whatwg.org/multipage/images.html#srcset-attributes
 * With `widthRequired` (the element has `sizes`) all candidates must have a width.
 */
export function imageCandidates(value: string, widthRequired = false): ImageCandidates {
  const candidates: Candidate[] = [];
  const structure = readCandidates(value, candidates);
  const seen = new Map<string, string>();
  let hasWidth = false;
  let hasOther = false;
  let problem: string | undefined;
  for (const { url, descriptors } of candidates) {
    const descriptor = descriptors[0] ?? "1x";
    if (descriptor.endsWith("w")) hasWidth = true;
    else hasOther = true;
    problem ??= candidateProblem(url, descriptors, widthRequired);
    if (problem !== undefined) continue;
    const key = descriptor.endsWith("w") ? `${descriptor.replace(/^0+/, "")}` : `${Number(descriptor.slice(0, -1))}x`;
    const other = seen.get(key);
    if (other !== undefined)
      problem = `${quote(url)} has the same ${descriptor.endsWith("w") ? "width" : "density"} (${key}) as ${quote(other)}`;
    seen.set(key, url);
  }
  problem ??= structure ?? (hasWidth && hasOther ? "some images have a width, others do not" : undefined);
  return { problem, hasWidth };
}

/** Why a srcset is wrong, or undefined. */
export function imageCandidatesProblem(value: string, options: { widthRequired?: boolean } = {}): string | undefined {
  return imageCandidates(value, options.widthRequired).problem;
}

/** Collects the candidates. @returns what is wrong with the commas */
function readCandidates(value: string, candidates: Candidate[]): string | undefined {
  let index = skipSpaces(value, 0);
  if (index === value.length) return "it names no image";
  let comma = false;
  while (index < value.length) {
    if (value[index] === ",") return candidates.length === 0 ? "it begins with a comma" : MISSING;
    const start = index;
    while (index < value.length && !isSpace(value.charCodeAt(index))) index++;
    let end = index;
    while (value[end - 1] === ",") end--;
    const candidate: Candidate = { url: value.slice(start, end), descriptors: [] };
    candidates.push(candidate);
    if (index - end > 1) return MISSING;
    comma = end < index;
    if (!comma) {
      index = readDescriptors(value, index, candidate.descriptors);
      comma = index < value.length;
      index++;
    }
    index = skipSpaces(value, index);
  }
  return comma ? "it ends with a comma" : undefined;
}

/** Collects the descriptors between a URL and the next comma outside of parentheses. @returns the comma's index */
function readDescriptors(value: string, from: number, descriptors: string[]): number {
  let start = from;
  for (let index = from; index < value.length; index++) {
    const isComma = value[index] === ",";
    if (value[index] === "(") {
      const close = value.indexOf(")", index);
      index = close < 0 ? value.length : close;
    } else if (isComma || isSpace(value.charCodeAt(index))) {
      if (index > start) descriptors.push(value.slice(start, index));
      if (isComma) return index;
      start = index + 1;
    }
  }
  if (start < value.length) descriptors.push(value.slice(start));
  return value.length;
}

function candidateProblem(url: string, descriptors: readonly string[], widthRequired: boolean): string | undefined {
  const problem = urlProblem(url, "reference");
  if (problem) return `the URL ${quote(url)} is not valid: ${problem}`;
  const [descriptor, extra] = descriptors;
  if (extra !== undefined && descriptor !== undefined) {
    return (
      descriptorProblem(descriptor) ?? `${quote(url)} has a second descriptor, ${quote(extra)}; only one is allowed`
    );
  }
  const wrong = descriptor === undefined ? undefined : descriptorProblem(descriptor);
  if (wrong) return wrong;
  return widthRequired && !descriptor?.endsWith("w") ? `${quote(url)} has no width, which "sizes" needs` : undefined;
}

function descriptorProblem(descriptor: string): string | undefined {
  const number = descriptor.slice(0, -1);
  const isWidth = descriptor.endsWith("w");
  if (!isWidth && !descriptor.endsWith("x")) {
    return `the descriptor ${quote(descriptor)} is not a number with "w" (a width) or "x" (a density)`;
  }
  const problem = isWidth ? nonNegativeIntegerProblem(number) : floatProblem(number);
  if (problem) return `in the descriptor ${quote(descriptor)}, ${problem}`;
  return Number(number) > 0 || /^0*\.?0*[1-9]/.test(number)
    ? undefined
    : `the descriptor ${quote(descriptor)} is not greater than zero`;
}

function skipSpaces(value: string, start: number): number {
  let index = start;
  while (isSpace(value.charCodeAt(index))) index++;
  return index;
}
