import { isNote, type Message } from "../messages/message.ts";
import { createSourceLines, type SourceLines } from "../messages/source-lines.ts";
import type { Document } from "../tree.ts";
import { type Candidate, candidatesAt } from "./candidates.ts";
import { applied, type Edit, type Fix, type PlacedEdit } from "./edits.ts";
import { readAttributes, readTags, type Tag } from "./markup.ts";
import { type Region, regionAround } from "./region.ts";
import { readStructure } from "./structure.ts";

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
const MAX_CANDIDATES = 40;
const MAX_MISTAKES = 100;
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
  let state: State = {
    text: source,
    tree: checked.tree,
    known: placed(source, checked.messages),
    inOriginal: (offset) => offset,
  };
  const mistakes: Mistake[] = [];
  const lines = createSourceLines(source);
  const passed = new Set<string>();
  while (mistakes.length < MAX_MISTAKES && budget.allows(state.text)) {
    const first = state.known.find(
      (one) =>
        mayExplain(one, state.known, alone) &&
        !passed.has(keyOf(one)) &&
        (failed.get(one.message.rule) ?? 0) < MAX_FAILURES,
    );
    if (!first) break;
    passed.add(keyOf(first));
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
        ...{ kind: candidate.kind, title: titleOf(source, edits), removes: gone.length },
        edits: edits.map((edit) => placedEdit(edit, lines)),
      },
    });
    state = {
      text: found.text,
      tree: found.tree,
      known: found.left,
      inOriginal: (offset) => inOriginal(offsetIn(offset)),
    };
  }
  return mistakes;
}

/** The source with the changes so far, what is found in it, and where a place in it was at first. */
type State = { text: string; tree: Document; known: readonly Known[]; inOriginal: (offset: number) => number };
type Check = (source: string) => Checked;
type Budget = { allows: (text: string) => boolean; pay: (text: string) => void };

function createBudget(characters: number): Budget {
  let left = characters;
  return {
    allows: (text) => left >= text.length,
    pay: (text) => {
      left -= text.length + COST_OF_A_CHECK;
    },
  };
}

/** The change that removes a message and most others: tried in the part of the source around it, and then in the whole. */
function explain(
  { text, tree, known }: State,
  first: Known,
  budget: Budget,
  check: Check,
): (Tried & { candidate: Candidate }) | undefined {
  const tags = readTags(text);
  const candidates = candidatesFor(text, tags, first);
  if (candidates.length === 0) return undefined;
  const region = regionAround(text, tree, tags, reachOf(candidates, first));
  const isWhole = region.source === text;
  if (!isWhole) budget.pay(region.source);
  const before = isWhole ? known : placed(region.source, check(region.source).messages);
  const best = tryAll(region, candidates, first, before, budget, check);
  if (isWhole) return best[0];
  for (const { candidate } of best) {
    if (!budget.allows(text)) break;
    budget.pay(text);
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
    budget.pay(region.source);
    const one = tryEdits(region.source, region.shifted(candidate.edits), before, check);
    if (!explains(one)) continue;
    tried.push({ ...one, candidate, score: WORTH_OF_A_FINDING * one.gone.length - candidate.cost });
    if (!one.left.some(isSuspicious)) break;
  }
  return tried.toSorted((a, b) => b.score - a.score).slice(0, MAX_VERIFIED);
}

const isSuspicious = ({ message }: Known): boolean => !isNote(message) && SUSPICIOUS.test(message.rule);
const keyOf = ({ message, start, end }: Known): string => `${start} ${end} ${message.rule}`;

/** Whether a message may be the first one of a mistake that has several. */
function mayExplain(one: Known, all: readonly Known[], alone: boolean): boolean {
  if (one.origin < 0 || one.message.type !== "error" || !isSuspicious(one)) return false;
  if (alone) return true;
  // What stands alone has no consequences.
  if (!all.some((other) => other !== one && other.message.type === "error" && isSuspicious(other))) return false;
  if (one.message.meant !== undefined) return all.some((other) => other !== one && other.start === one.start);
  if (one.message.rule.startsWith("attribute-not-allowed/")) return /[^\w:.-]/.test(one.message.rule.slice(22));
  // A paragraph ends where a block begins: its end tag is stray in every second old page, and that is all.
  if (one.message.rule === "parse/stray-end-tag" && /<\/(?:p|br)\b/i.test(one.message.extract)) return false;
  return !ALONE.test(one.message.rule);
}

function candidatesFor(text: string, tags: readonly Tag[], first: Known): Candidate[] {
  const spot = { start: first.start, end: first.end, rule: first.message.rule };
  return [...meant(text, tags, first), ...candidatesAt(text, tags, readStructure(tags), spot)]
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
  const before = Map.groupBy(known, ({ start, message }) => `${start} ${message.rule}`);
  // What comes behind was not looked at.
  const unread = known.find(({ message }) => message.rule === NOT_CHECKED)?.start ?? source.length;
  const added: Known[] = [];
  const { messages, tree } = check(copy.source);
  const left = placed(copy.source, messages).map((one): Known => {
    const same = before.get(`${copy.offsetIn(one.start)} ${one.message.rule}`)?.shift();
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
    const { firstLine, lastLine, firstColumn, lastColumn } = message;
    const start = lines.offsetOf(firstLine ?? lastLine, firstColumn ?? lastColumn);
    return { message, start, end: lines.offsetOf(lastLine, lastColumn) + 1, origin };
  });
}

/** What a message proposes. */
function meant(source: string, tags: readonly Tag[], { message, start }: Known): Candidate[] {
  const { meant: name, rule } = message;
  const tag = tags.find((one) => one.start === start);
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
  const end = tags.find((one) => one.isEnd && one.start > tag.start && one.name === tag.name);
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

function titleOf(source: string, edits: readonly Edit[]): string {
  const lines = createSourceLines(source);
  return edits
    .map(({ start, end, text }) => {
      const { lastLine, firstColumn, lastColumn, firstLine } = lines.placeOf(start, start + 1);
      const at = `${firstLine ?? lastLine}:${firstColumn ?? lastColumn}`;
      const old = source.slice(start, end);
      if (old === "") return `insert ${text.trim() || "a space"} at ${at}`;
      return text === "" ? `delete ${old.trim()} at ${at}` : `replace ${old.trim()} by ${text.trim()} at ${at}`;
    })
    .join(", ");
}
