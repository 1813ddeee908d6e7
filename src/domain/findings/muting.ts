import { isDeepStrictEqual } from "node:util";
import type { MutingCategory } from "../../schema/muting.ts";
import { selectorIndex } from "../selector/match-selector.ts";

/**
 * What a muting silences: findings that match all given criteria.
 */
export type MutingCriteria = {
  /** A part of the page's URL, regardless of case. */
  url_match?: string;
  /** A part of an HTML issue's message or of an accessibility issue's help, regardless of case. */
  message?: string;
  /** The engine's name of the rule. */
  rule?: string;
  /** A CSS selector that selects the finding's element. */
  selector?: string;
  /** The selector, as `readSelector` writes it. */
  steps?: string;
  fingerprint?: string;
  component?: string;
};

/** A rule that silences findings. */
export type Muting = MutingCriteria & { id: string };

/** A muting as its owner defines it. */
export type MutingDefinition = {
  criteria: MutingCriteria;
  category: MutingCategory | null;
  /** For everybody who may read the report. */
  comment: string | null;
  /** For the account itself. */
  reason: string | null;
  /** The time from which its findings are counted again; null for a muting without an end. */
  expiresAt: Date | null;
};

/** When a muting ends: a time without an offset is in UTC. @returns null also for what is not a date */
export function readTime(text: string | null): Date | null {
  if (text === null) return null;
  const time = new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** The part of an issue that mutings see. */
export type MutableIssue = { text: string; rule: string; howMany: number };
/** The part of a finding that mutings see; `selector` is null for one about the document. */
export type MutableFinding = { fingerprint: string; component: string; selector: string | null; howMany: number };

/** The mutings of one page. */
export type PageMutings = {
  /** The first muting that silences an issue as a whole. */
  ofIssue: (issue: Pick<MutableIssue, "text" | "rule">) => string | null;
  /** The first muting that silences a single finding of an issue; undefined if no muting could. */
  ofFindings: (issue: Pick<MutableIssue, "text" | "rule">) => ((finding: MutableFinding) => string | null) | undefined;
};

/** Prepares mutings for many pages. */
export function mutingsByPage(mutings: readonly Muting[]): (url: string) => PageMutings {
  const prepared = mutings.map(prepare);
  const selecting = selectorIndex(
    prepared.flatMap((found) => (found.steps === undefined ? [] : [{ steps: found.steps, found }])),
  );
  return (url) => {
    const page = url.toLowerCase();
    const ofPage = prepared.filter((muting) => muting.url === undefined || page.includes(muting.url));
    const whole = ofPage.filter((muting) => !muting.isSingle);
    const single = ofPage.filter((muting) => muting.isSingle);
    return {
      ofIssue: (issue) => first(whole, matcherOf(issue)),
      ofFindings: (issue) => {
        const found = single.length === 0 ? single : single.filter(matcherOf(issue));
        if (found.length === 0) return undefined;
        return ({ fingerprint, component, selector }) => {
          const bySelector = selector === null ? undefined : selecting(selector);
          return first(
            found,
            (muting) =>
              (muting.fingerprint === undefined || muting.fingerprint === fingerprint) &&
              (muting.component === undefined || muting.component === component) &&
              (muting.steps === undefined || bySelector?.has(muting) === true),
          );
        };
      },
    };
  };
}

type Prepared = ReturnType<typeof prepare>;

function prepare({ id, url_match, message, rule, steps, fingerprint, component }: Muting) {
  return {
    id,
    rule,
    steps,
    fingerprint,
    component,
    url: url_match?.toLowerCase(),
    text: message?.toLowerCase(),
    /** It may silence some findings of an issue and not others. */
    isSingle: steps !== undefined || fingerprint !== undefined || component !== undefined,
  };
}

function matcherOf({ text, rule }: Pick<MutableIssue, "text" | "rule">): (muting: Prepared) => boolean {
  const lower = text.toLowerCase();
  return (muting) =>
    (muting.text === undefined || lower.includes(muting.text)) && (muting.rule === undefined || muting.rule === rule);
}

function first(mutings: readonly Prepared[], matches: (muting: Prepared) => boolean): string | null {
  return mutings.find(matches)?.id ?? null;
}

/**
 * An issue as stored. With a muting, all of its `howMany` elements are silenced. Otherwise `howMany` elements count,
 * and `mutedCount` further ones are silenced individually.
 */
export type MutedIssue = { mutingId: string | null; howMany: number; mutedCount: number };

/**
 * Applies mutings to an issue and its findings.
 *
 * @param issue howMany: all elements, silenced or not
 * @returns also the mutings of the findings, in their order
 */
export function muteIssue(
  mutings: PageMutings,
  issue: MutableIssue,
  findings: readonly MutableFinding[],
): MutedIssue & { findings: (string | null)[] } {
  const whole = mutings.ofIssue(issue);
  const ofFinding = whole === null ? mutings.ofFindings(issue) : undefined;
  const each = findings.map((finding) => whole ?? ofFinding?.(finding) ?? null);
  const muted = findings.reduce((sum, { howMany }, index) => sum + (each[index] === null ? 0 : howMany), 0);
  const { howMany } = issue;
  const mutingId = whole ?? (muted >= howMany ? (each.find((id) => id !== null) ?? null) : null);
  return mutingId === null
    ? { mutingId, howMany: howMany - muted, mutedCount: muted, findings: each }
    : { mutingId, howMany, mutedCount: 0, findings: each };
}

/** The elements of a stored issue that lists and totals count. */
export function countedElements({ mutingId, howMany }: Pick<MutedIssue, "mutingId" | "howMany">): number {
  return mutingId === null ? howMany : 0;
}

/** The elements of a stored issue that mutings silence. */
export function mutedElements({ mutingId, howMany, mutedCount }: MutedIssue): number {
  return mutingId === null ? mutedCount : howMany;
}

/** The most mutings of one owner: every finding is compared with all of them. */
const MAX_MUTINGS = 1_000;
/** The most of these that may have a selector: a page may have 20,000 elements, all of them different. */
const MAX_SELECTORS = 100;

/** How many an owner may have, in words. */
export type TooMany = { tooMany: string };

/**
 * Whether an owner would have too many mutings.
 *
 * @param known how many there are
 * @param more what is added: mutings, and among these mutings with a selector
 */
export function tooManyMutings(
  known: { mutings: number; selectors: number },
  more: { mutings: number; selectors: number },
): TooMany | undefined {
  if (known.mutings + more.mutings > MAX_MUTINGS) return { tooMany: `${MAX_MUTINGS.toLocaleString("en")} mutings` };
  if (more.selectors > 0 && known.selectors + more.selectors > MAX_SELECTORS)
    return { tooMany: `${MAX_SELECTORS} mutings with a selector` };
  return undefined;
}

type Defined = Pick<MutingDefinition, "criteria" | "expiresAt">;

/** What a change of a muting's definition means: whether it is expired then, and whether it silences something else. */
export function changeOfMuting(
  before: Defined & { expired: boolean },
  next: Defined,
): { expired: boolean; silencesOther: boolean } {
  // An expired muting stays expired until its time is changed.
  const expired = before.expired && next.expiresAt?.getTime() === before.expiresAt?.getTime();
  return { expired, silencesOther: expired !== before.expired || !isDeepStrictEqual(next.criteria, before.criteria) };
}
