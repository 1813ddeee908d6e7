import { lastNotAfter } from "../last-not-after.ts";
import { type FoundMessage, isNote } from "../messages/message.ts";
import { createSourceLines, type SourceLines } from "../messages/source-lines.ts";
import { type Document, VOID } from "../tree.ts";
import { type Candidate, candidatesAt } from "./candidates.ts";
import { staysInPart } from "./closed-part.ts";
import type { Edit, Fix, PlacedEdit } from "./edits.ts";
import { readAttributes } from "./markup.ts";
import { type Markup, readMarkup } from "./read-markup.ts";
import { type Parsed, type Region, regionAround } from "./region.ts";
import {
  type Check,
  type Checked,
  isEnd,
  isOfParser,
  type Known,
  knownByPart,
  parserOf,
  placed,
  type Tried,
  tryEdits,
  tryInWhole,
} from "./try-edits.ts";

/** One mistake: how it is undone, and the messages that are gone then, by their places in the list. */
export type Mistake = { fix: Fix; gone: readonly number[] };

/**
 * Characters that are checked for candidates: those of the source twice, or these. A number of characters, and not a time,
 * so that the same source has the same mistakes each time.
 */
const MIN_BUDGET = { consequences: 15_000, all: 100_000 } as const;
/** What a check costs beside its characters. */
const COST_OF_A_CHECK = 300;
/** Reading the tags of a source, and parsing it, takes a part of the time of its check. */
const PART_OF_A_CHECK = { markup: 0.05, parse: 0.4 } as const;
/** So many changes more are tried when one is found that helps. */
const MORE_TRIES = 3;
/** One message may take so much of what is left, where only consequences are looked for. */
const OF_A_MESSAGE = 0.6;
const MAX_CANDIDATES = 40;
const MAX_MISTAKES = 100;
/** So many messages are looked at: there are as many rules as a page has names of attributes. */
const MAX_LOOKED_AT = 200;
/** A rule that could not be explained so often is left alone. */
const MAX_FAILURES = 3;
/** The best ones of a part of the source are tried in the whole. */
const MAX_VERIFIED = 2;
/** A less likely change is the better one if it removes one more finding. */
const WORTH_OF_A_FINDING = 3;
/** Behind as many characters, an error has another cause, most likely; but for where an element ends that is not closed. */
const FAR = 10_000;
const NEAR_AN_END = 500;

/** Rules of what may have one cause with others. */
const SUSPICIOUS =
  /^(?:parse\/(?!obsolete-doctype|quirks|legacy|undeclared|encoding|unknown-encoding|late|malformed|private|hyphens|form-feed|discouraged|text-not|attribute-|composing|deep)|unknown-element$|attribute-not-allowed\/|bad-value\/|element-not-allowed|text-not-allowed|missing-|empty-text|nesting\/)/;
/** Of these, what has no consequences: it is undone only where all fixes are asked for. */
const ALONE =
  /^(?:parse\/(?:br-end-tag$|(?:missing-semicolon-after|unknown-named)-character-reference|missing-doctype|stray-doctype|disallowed-|(?:control|noncharacter|surrogate|null|unexpected-null|private)-c)|bad-value\/|missing-|empty-text|element-not-allowed|text-not-allowed|nesting\/)/;

/**
 * Searches mistakes that explain several messages: changes of a few characters, tried in copies, of which the one is taken
 * that removes most findings and adds none.
 *
 * @param checked what was found in the source
 * @param check the same for another source; "parse" asks for what its parser says, and may be told more
 * @param options.alone also mistakes that explain one message only
 */
export function searchMistakes(
  source: string,
  checked: Checked,
  check: Check,
  { alone = false }: { alone?: boolean } = {},
): Mistake[] {
  if (!isWorthwhile(checked.messages, alone)) return [];
  const budget = createBudget(Math.max(alone ? MIN_BUDGET.all : MIN_BUDGET.consequences, 2 * source.length));
  const failed = new Map<string, number>();
  let state = stateOf(
    { tree: checked.tree, source, offsetIn: (offset) => offset },
    readMarkup(source),
    placed(source, checked.messages),
    (offset) => offset,
  );
  const mistakes: Mistake[] = [];
  const lines = createSourceLines(source);
  /** The last message that was looked at, by its place in the list. */
  let last = -1;
  for (let looked = 0; looked < MAX_LOOKED_AT && mistakes.length < MAX_MISTAKES; looked++) {
    const first = state.known.find(
      (one) => one.origin > last && mayExplain(one, state, alone) && (failed.get(one.message.rule) ?? 0) < MAX_FAILURES,
    );
    if (!first || !budget.allows(state.markup.source.length)) break;
    last = first.origin;
    const found = explain(state, first, budget, check, alone);
    if (!found) {
      failed.set(first.message.rule, (failed.get(first.message.rule) ?? 0) + 1);
      continue;
    }
    const { candidate, gone, offsetIn } = found;
    const { inOriginal, parsed: old } = state;
    const edits = candidate.edits.map((edit) => ({
      ...edit,
      start: inOriginal(edit.start),
      end: inOriginal(edit.end),
    }));
    mistakes.push({
      gone: gone.map(({ origin }) => origin).toSorted((a, b) => a - b),
      fix: {
        ...{ kind: candidate.kind, title: titleOf(source, edits, lines), removes: gone.length },
        edits: edits.map((edit) => placedEdit(edit, lines)),
      },
    });
    budget.pay(PART_OF_A_CHECK.markup * found.text.length);
    state = stateOf(
      found.tree
        ? { tree: found.tree, source: found.text, offsetIn: (offset) => offset }
        : { ...old, offsetIn: (offset) => old.offsetIn(offsetIn(offset)) },
      readMarkup(found.text),
      found.left,
      (offset) => inOriginal(offsetIn(offset)),
    );
  }
  return mistakes;
}

/**
 * End tags that are stray and no more: of a paragraph, which ends where a block begins, as in every second old page; and of what has no
 * end tag, as in pages that were XML.
 */
const STRAY_ALONE = new RegExp(`</(?:p|${[...VOID].join("|")})\\b`, "i");

/** The source with the changes so far, what is found in it, and where a place in it was at first. */
type State = {
  markup: Markup;
  parsed: Parsed;
  known: readonly Known[];
  inOriginal: (offset: number) => number;
  /** Where errors are that may have one cause with others, in ascending order. */
  suspects: readonly number[];
  /** Messages by the place where they begin. */
  at: ReadonlyMap<number, number>;
};
type Budget = {
  allows: (characters: number) => boolean;
  pay: (characters: number) => void;
  /** A part of what is left, so that one message does not take all of it. */
  part: (of: number) => Budget;
};

function stateOf(
  parsed: Parsed,
  markup: Markup,
  known: readonly Known[],
  inOriginal: (offset: number) => number,
): State {
  const at = new Map<number, number>();
  for (const { start } of known) at.set(start, (at.get(start) ?? 0) + 1);
  const suspects = known.filter((one) => one.message.type === "error" && isSuspicious(one) && !isTold(one));
  return { markup, parsed, known, inOriginal, suspects: suspects.map(({ start }) => start), at };
}

function createBudget(characters: number, payToo: Budget["pay"] = () => {}): Budget {
  let left = characters;
  const pay = (number: number): void => {
    left -= number;
    payToo(number);
  };
  return { allows: (number) => left >= number, pay, part: (of) => createBudget(left * of, pay) };
}

const costOf = (text: string): number => text.length + COST_OF_A_CHECK;

/** A change that helps; without a tree where the whole was not parsed again. */
type Found = Omit<Tried, "tree" | "added"> & { tree?: Document; candidate: Candidate };

/** The change that removes a message and most others: tried in the part of the source around it, and then in the whole. */
function explain(
  { markup, parsed, known }: State,
  first: Known,
  all: Budget,
  check: Check,
  alone: boolean,
): Found | undefined {
  const text = markup.source;
  const budget = alone ? all : all.part(OF_A_MESSAGE);
  budget.pay(COST_OF_A_CHECK);
  const candidates = candidatesFor(markup, first);
  if (candidates.length === 0) return undefined;
  const region = regionAround(markup, parsed, reachOf(candidates, first));
  const isWhole = region.source === text;
  if (!isWhole) budget.pay(costOf(region.source));
  const part = isWhole ? { tree: parsed.tree, known } : partOf(region.source, check);
  const best = tryAll(region, candidates, first, part.known, budget, check);
  if (isWhole) return best[0];
  // A fix that is asked for is tried in all of the source. To tell causes from consequences, the part says enough if the change
  // ends there.
  const isWholeChecked = alone || known.some(isEnd);
  for (const one of best) {
    const { edits } = one.candidate;
    if (!isWholeChecked && staysInPart(region, text, edits, part, one))
      return {
        ...knownByPart(text, edits, known, { gone: one.gone, offset: region.offset }),
        candidate: one.candidate,
      };
    const inPart = { edits, gone: one.gone, offset: region.offset, to: region.to };
    const whole = tryBehindPart(text, known, inPart, { budget: all, isWholeChecked }, check);
    if (!whole) break;
    if (whole.gone.length > 0 && whole.added.length === 0) return { ...whole, candidate: one.candidate };
  }
  return undefined;
}

/**
 * A change that goes on behind the part in which it helped: the parser says how. Where there is more behind of what is gone in the part, a
 * check of all of the source says how far; what helped is worth more than the share of one message.
 *
 * @returns undefined when it cannot be paid
 */
function tryBehindPart(
  text: string,
  known: readonly Known[],
  { edits, to, ...part }: { edits: readonly Edit[]; gone: readonly Known[]; offset: number; to: number },
  { budget, isWholeChecked }: { budget: Budget; isWholeChecked: boolean },
  check: Check,
): Tried | undefined {
  const rules = new Set(part.gone.map(({ message }) => message.rule));
  const goesOn = known.some((one) => one.start > to && !isOfParser(one) && rules.has(one.message.rule));
  if ((isWholeChecked || goesOn) && budget.allows(text.length)) {
    budget.pay(costOf(text));
    return tryEdits(text, edits, known, check);
  }
  const cost = PART_OF_A_CHECK.parse * text.length;
  if (isWholeChecked || !budget.allows(cost)) return undefined;
  budget.pay(cost);
  return tryInWhole(text, edits, known, part, parserOf(check));
}

function partOf(source: string, check: Check): { tree: Document; known: Known[] } {
  const { tree, messages } = check(source);
  return { tree, known: placed(source, messages) };
}

/** What removes a message and adds none, the best ones first. */
function tryAll(
  region: Region,
  candidates: readonly Candidate[],
  first: Known,
  before: readonly Known[],
  budget: Budget,
  check: Check,
): (Tried & { candidate: Candidate })[] {
  const [{ start: place } = { start: 0 }] = region.shifted([{ start: first.start, end: first.start, text: "" }]);
  const explains = ({ gone, added }: Tried): boolean =>
    added.length === 0 && gone.some(({ start, message }) => start === place && message.rule === first.message.rule);
  const tried: (Tried & { candidate: Candidate; score: number })[] = [];
  // What the parser does not mend, or says besides, needs no check of the rest.
  const parsed = isOfParser(first) ? before.filter((one) => isOfParser(one) || isEnd(one)) : undefined;
  const parse = parserOf(check);
  let more = MORE_TRIES;
  for (const candidate of candidates) {
    if (!budget.allows(region.source.length) || more === 0) break;
    if (!fits(candidate, region)) continue;
    if (tried.length > 0) more--;
    const edits = region.shifted(candidate.edits);
    if (parsed) {
      budget.pay(PART_OF_A_CHECK.parse * region.source.length);
      if (!explains(tryEdits(region.source, edits, parsed, parse))) continue;
    }
    budget.pay(costOf(region.source));
    const one = tryEdits(region.source, edits, before, check);
    if (!explains(one)) continue;
    tried.push({ ...one, candidate, score: WORTH_OF_A_FINDING * one.gone.length - candidate.cost });
    if (!one.left.some(isSuspicious)) break;
  }
  return tried.toSorted((a, b) => b.score - a.score).slice(0, MAX_VERIFIED);
}

const isSuspicious = ({ message }: Pick<Known, "message">): boolean =>
  !isNote(message) && SUSPICIOUS.test(message.rule);

/** The parser knows what it follows from. */
const isTold = ({ message }: Pick<Known, "message">): boolean => message.follows !== undefined;

/** Whether there are as many errors as one cause needs: most pages have none, and are not read again. */
function isWorthwhile(messages: readonly FoundMessage[], alone: boolean): boolean {
  const some = messages.filter(
    (message) => message.type === "error" && isSuspicious({ message }) && !isTold({ message }),
  );
  return some.length > (alone ? 0 : 1);
}

/** Whether a message may be the first one of a mistake that has several. */
function mayExplain(one: Known, state: State, alone: boolean): boolean {
  if (one.origin < 0 || one.message.type !== "error" || !isSuspicious(one)) return false;
  if (alone) return true;
  const { at } = state;
  // What stands alone has no consequences.
  if (isTold(one) || !hasOthersNear(one, state)) return false;
  const { meant, rule, extract } = one.message;
  if (meant !== undefined) return (at.get(one.start) ?? 0) > 1;
  if (rule.startsWith("attribute-not-allowed/")) return /[^\w:.-]/.test(rule.slice(22));
  if (rule === "parse/stray-end-tag" && STRAY_ALONE.test(extract)) return false;
  return !ALONE.test(rule);
}

/** Whether another error is near, or near to where an element ends that is not closed. */
function hasOthersNear({ message, start }: Known, { suspects, markup }: State): boolean {
  const isBetween = (from: number, to: number): boolean => {
    const next = suspects[lastNotAfter(suspects, (place) => place, from) + 1];
    return next !== undefined && next <= to;
  };
  if (isBetween(start, start + FAR) || suspects.filter((place) => place === start).length > 1) return true;
  if (message.rule !== "parse/unclosed-element") return isBetween(start - FAR, start - 1);
  const ends = markup.structure.unclosed.filter(({ tag }) => tag.start === start);
  return ends.some(({ endedBy }) => endedBy && isBetween(endedBy.start - 1, endedBy.end + NEAR_AN_END));
}

function candidatesFor(markup: Markup, first: Known): Candidate[] {
  const spot = { start: first.start, end: first.end, rule: first.message.rule };
  return [...meant(markup, first), ...candidatesAt(markup, spot)]
    .toSorted((a, b) => a.cost - b.cost)
    .slice(0, MAX_CANDIDATES);
}

/** From the first place that may have to be changed to the last one. */
function reachOf(candidates: readonly Candidate[], { start, end }: Known) {
  const places = candidates.slice(0, 12).flatMap(({ edits }) => edits.map((edit) => edit.start));
  const near = places.filter((place) => Math.abs(place - start) < 20_000);
  return { start: Math.min(start, ...near), end: Math.max(end - start > 20_000 ? start : end, ...near) };
}

function fits({ edits }: Candidate, { from, to }: Region): boolean {
  return edits.every(({ start, end }) => start >= from && end <= to);
}

/** The end tag of a mistyped start tag is looked for in so many tags behind it. */
const MAX_TAGS_OF_A_NAME = 2_000;

/** What a message proposes. */
function meant({ source, tags, tagAt, indexFrom }: Markup, { message, start }: Known): Candidate[] {
  const { meant: name, rule } = message;
  const tag = tagAt(start);
  if (name === undefined || !tag) return [];
  const [what, subject = ""] = rule.split("/");
  const written = readAttributes(source, tag).attributes.find((one) => one.name.toLowerCase() === subject);
  const named = (from: number, length: number): Edit => ({ start: from, end: from + length, text: name });
  if (what === "attribute-not-allowed" && written)
    return [{ kind: "attribute", cost: 0.4, edits: [named(written.start, written.name.length)] }];
  if (what === "bad-value" && written?.value)
    return [{ kind: "attribute", cost: 0.4, edits: [valueFor(source, written.value, name)] }];
  if (what !== "unknown-element") return [];
  const first = named(tag.start + 1, tag.name.length);
  const behind = tags.slice(indexFrom(tag.end), indexFrom(tag.end) + MAX_TAGS_OF_A_NAME);
  const end = behind.find((one) => one.isEnd && one.name === tag.name);
  return [
    ...(end ? [{ kind: "start tag", cost: 0.4, edits: [first, named(end.start + 2, end.name.length)] } as const] : []),
    { kind: "start tag", cost: 0.5, edits: [first] },
  ];
}

/** A value as it is written: in capital letters, if it was. */
function valueFor(source: string, { start, end }: { start: number; end: number }, text: string): Edit {
  const old = source.slice(start, end);
  return { start, end, text: (old.match(/[A-Z]/g) ?? []).length > old.length / 2 ? text.toUpperCase() : text };
}

function placedEdit(edit: Edit, lines: SourceLines): PlacedEdit {
  const [start, end] = [lines.pointOf(edit.start), lines.pointOf(edit.end)];
  return { ...edit, startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
}

function titleOf(source: string, edits: readonly Edit[], lines: SourceLines): string {
  return edits
    .map(({ start, end, text }) => {
      const { line, column } = lines.pointOf(start);
      const at = `${line}:${column}`;
      const old = source.slice(start, end);
      if (old === "") return `insert ${text.trim() || "a space"} at ${at}`;
      return text === "" ? `delete ${old.trim()} at ${at}` : `replace ${old.trim()} by ${text.trim()} at ${at}`;
    })
    .join(", ");
}
