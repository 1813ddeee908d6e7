import { grouped, placeKey } from "../messages/by-place.ts";
import { isNote, type Message } from "../messages/message.ts";
import { createSourceLines, type SourceLines } from "../messages/source-lines.ts";
import type { Document } from "../tree.ts";
import { type Candidate, candidatesAt } from "./candidates.ts";
import { applied, type Edit, type Fix, type PlacedEdit } from "./edits.ts";
import { readAttributes } from "./markup.ts";
import { type Markup, readMarkup } from "./read-markup.ts";
import { type Region, regionAround } from "./region.ts";

/** One mistake: how it is undone, and the messages that are gone then, by their places in the list. */
export type Mistake = { fix: Fix; gone: readonly number[] };

type Checked = { messages: readonly Message[]; tree: Document };

/**
 * Characters that are checked for candidates: those of the source twice, or these. A number of characters, and not a time,
 * so that the same source has the same mistakes each time.
 */
const MIN_BUDGET = { consequences: 30_000, all: 100_000 } as const;
/** What a check costs beside its characters. */
const COST_OF_A_CHECK = 300;
/** Reading the tags of a source takes a part of the time of its check. */
const PART_OF_A_CHECK = 0.1;
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

/** Rules of what may have one cause with others. */
const SUSPICIOUS =
  /^(?:parse\/(?!obsolete-doctype|quirks|legacy|undeclared|encoding|unknown-encoding|late|malformed|private|hyphens|form-feed|discouraged|text-not|attribute-|composing|deep)|unknown-element$|attribute-not-allowed\/|bad-value\/|element-not-allowed|text-not-allowed|missing-|empty-text|nesting\/)/;
/** Of these, what has no consequences: it is undone only where all fixes are asked for. */
const ALONE =
  /^(?:parse\/(?:(?:missing-semicolon-after|unknown-named)-character-reference|missing-doctype|stray-doctype|disallowed-)|bad-value\/|missing-|empty-text|element-not-allowed|text-not-allowed|nesting\/)/;

/** The rule of the note behind which nothing is reported (engine.ts). */
const NOT_CHECKED = "not-checked-further";

type Known = { message: Message; start: number; end: number; origin: number };

/**
 * Searches mistakes that explain several messages: changes of a few characters, tried in copies, of which the one is taken
 * that removes most findings and adds none.
 *
 * @param checked what was found in the source
 * @param check the same for another source
 * @param options.alone also mistakes that explain one message only
 */
export function searchMistakes(
  source: string,
  checked: Checked,
  check: (source: string) => Checked,
  { alone = false }: { alone?: boolean } = {},
): Mistake[] {
  const budget = createBudget(Math.max(alone ? MIN_BUDGET.all : MIN_BUDGET.consequences, 2 * source.length));
  const failed = new Map<string, number>();
  let state = stateOf(checked.tree, readMarkup(source), placed(source, checked.messages), (offset) => offset);
  const mistakes: Mistake[] = [];
  const lines = createSourceLines(source);
  /** The last message that was looked at, by its place in the list. */
  let last = -1;
  for (let looked = 0; looked < MAX_LOOKED_AT && mistakes.length < MAX_MISTAKES; looked++) {
    const first = state.known.find(
      (one) => one.origin > last && mayExplain(one, state, alone) && (failed.get(one.message.rule) ?? 0) < MAX_FAILURES,
    );
    if (!first || !budget.allows(state.markup.source)) break;
    last = first.origin;
    const found = explain(state, first, budget, check);
    if (!found) {
      failed.set(first.message.rule, (failed.get(first.message.rule) ?? 0) + 1);
      continue;
    }
    const { candidate, gone, offsetIn } = found;
    const { inOriginal } = state;
    const edits = candidate.edits.map((edit) => ({
      ...edit,
      start: inOriginal(edit.start),
      end: inOriginal(edit.end),
    }));
    mistakes.push({
      gone: gone.map(({ origin }) => origin),
      fix: {
        ...{ kind: candidate.kind, title: titleOf(source, edits, lines), removes: gone.length },
        edits: edits.map((edit) => placedEdit(edit, lines)),
      },
    });
    budget.pay(PART_OF_A_CHECK * found.text.length);
    state = stateOf(found.tree, readMarkup(found.text), found.left, (offset) => inOriginal(offsetIn(offset)));
  }
  return mistakes;
}

/** The source with the changes so far, what is found in it, and where a place in it was at first. */
type State = {
  markup: Markup;
  tree: Document;
  known: readonly Known[];
  inOriginal: (offset: number) => number;
  /** Errors that may have one cause with others. */
  suspects: number;
  /** Messages by the place where they begin. */
  at: ReadonlyMap<number, number>;
};
type Check = (source: string) => Checked;
type Budget = { allows: (text: string) => boolean; pay: (characters: number) => void };

function stateOf(
  tree: Document,
  markup: Markup,
  known: readonly Known[],
  inOriginal: (offset: number) => number,
): State {
  const at = new Map<number, number>();
  for (const { start } of known) at.set(start, (at.get(start) ?? 0) + 1);
  const suspects = known.filter((one) => one.message.type === "error" && isSuspicious(one)).length;
  return { markup, tree, known, inOriginal, suspects, at };
}

function createBudget(characters: number): Budget {
  let left = characters;
  return {
    allows: (text) => left >= text.length,
    pay: (number) => {
      left -= number;
    },
  };
}

const costOf = (text: string): number => text.length + COST_OF_A_CHECK;

/** The change that removes a message and most others: tried in the part of the source around it, and then in the whole. */
function explain(
  { markup, tree, known }: State,
  first: Known,
  budget: Budget,
  check: Check,
): (Tried & { candidate: Candidate }) | undefined {
  const text = markup.source;
  budget.pay(COST_OF_A_CHECK);
  const candidates = candidatesFor(markup, first);
  if (candidates.length === 0) return undefined;
  const region = regionAround(markup, tree, reachOf(candidates, first));
  const isWhole = region.source === text;
  if (!isWhole) budget.pay(costOf(region.source));
  const before = isWhole ? known : placed(region.source, check(region.source).messages);
  const best = tryAll(region, candidates, first, before, budget, check);
  if (isWhole) return best[0];
  for (const { candidate } of best) {
    if (!budget.allows(text)) break;
    budget.pay(costOf(text));
    const whole = tryEdits(text, candidate.edits, known, check);
    if (whole.gone.length > 0 && whole.added.length === 0) return { ...whole, candidate };
  }
  return undefined;
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
  for (const candidate of candidates) {
    if (!budget.allows(region.source)) break;
    if (!fits(candidate, region)) continue;
    budget.pay(costOf(region.source));
    const one = tryEdits(region.source, region.shifted(candidate.edits), before, check);
    if (!explains(one)) continue;
    tried.push({ ...one, candidate, score: WORTH_OF_A_FINDING * one.gone.length - candidate.cost });
    if (!one.left.some(isSuspicious)) break;
  }
  return tried.toSorted((a, b) => b.score - a.score).slice(0, MAX_VERIFIED);
}

const isSuspicious = ({ message }: Known): boolean => !isNote(message) && SUSPICIOUS.test(message.rule);

/** Whether a message may be the first one of a mistake that has several. */
function mayExplain(one: Known, { suspects, at }: State, alone: boolean): boolean {
  if (one.origin < 0 || one.message.type !== "error" || !isSuspicious(one)) return false;
  if (alone) return true;
  // What stands alone has no consequences.
  if (suspects < 2) return false;
  const { meant, rule, extract } = one.message;
  if (meant !== undefined) return (at.get(one.start) ?? 0) > 1;
  if (rule.startsWith("attribute-not-allowed/")) return /[^\w:.-]/.test(rule.slice(22));
  // A paragraph ends where a block begins: its end tag is stray in every second old page, and that is all.
  if (rule === "parse/stray-end-tag" && /<\/(?:p|br)\b/i.test(extract)) return false;
  return !ALONE.test(rule);
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

type Tried = {
  text: string;
  tree: Document;
  gone: Known[];
  added: Known[];
  left: Known[];
  offsetIn: (offset: number) => number;
};

function tryEdits(
  source: string,
  edits: readonly Edit[],
  known: readonly Known[],
  check: (source: string) => Checked,
): Tried {
  const copy = applied(source, edits);
  const before = grouped(known, ({ start, message }) => placeKey(start, message));
  // What comes behind was not looked at.
  const unread = known.find(({ message }) => message.rule === NOT_CHECKED)?.start ?? source.length;
  const added: Known[] = [];
  const { messages, tree } = check(copy.source);
  const left = placed(copy.source, messages).map((one): Known => {
    const same = before.get(placeKey(copy.offsetIn(one.start), one.message))?.shift();
    const found = { ...one, origin: same ? same.origin : -1 };
    if (!same && one.message.type === "error" && copy.offsetIn(one.start) <= unread) added.push(found);
    return found;
  });
  const gone = [...before.values()].flat().filter(({ message }) => !isNote(message));
  return { text: copy.source, tree, gone, added, left, offsetIn: copy.offsetIn };
}

function placed(source: string, messages: readonly Message[]): Known[] {
  const lines = createSourceLines(source);
  return messages.map((message, origin) => {
    const start = lines.startOf(message);
    return { message, start, end: lines.offsetOf(message.lastLine, message.lastColumn) + 1, origin };
  });
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
