import { manifestOf, needsSource, performedKinds } from "../../checks/kinds.ts";
import type { ReportSpec } from "../../schema/report.ts";
import type { PageFacts } from "../acting/page-facts.ts";
import { causesAt } from "../causes/cause-at.ts";
import type { Failure } from "../failure.ts";
import { type Finding, identifyIssue } from "../identity/identify-issue.ts";
import { pageKey } from "../identity/page-key.ts";
import { boundElements, boundIssues, MAX_SOURCE_LENGTH, MAX_STORED_BYTES } from "./bound-findings.ts";
import { type CheckOutcome, countOf, type Engine, type Issue, type Screenshot } from "./findings.ts";
import { countedElements, type MutedIssue, mutedElements, muteIssue, type PageMutings } from "./muting.ts";
import { markOutside } from "./outside-standard.ts";
import { boundPictures, type ElementPicture } from "./picture.ts";
import { screenshotKind } from "./screenshots.ts";
import { countIssue, emptyTally, type Tally } from "./tally.ts";

/** The size of a page's source as it would be kept: compressed, in bytes, and of its text, in UTF-16 units. */
export type SourceSize = { bytes: number; length: number };

/** An issue of one page within the limits, with its findings and what mutings silence of both. */
export type JudgedIssue = MutedIssue & {
  issue: Issue;
  findings: readonly (Finding & { mutingId: string | null })[];
};

/** What becomes of a check. */
export type Verdict = {
  /** What counts of its issues. */
  tally: Tally;
  issues: JudgedIssue[];
  /** Why it failed; undefined for one with a result. */
  failure: Failure | undefined;
  /** Of the engine that gave the result. */
  engine: Engine | undefined;
  /** With which status the page responded, null for none; undefined where the page's row is right already. */
  httpStatus: number | null | undefined;
  /** The source is kept, to show findings in it. */
  keepsSource: boolean;
  /** The raw result, unless it is not to be stored. */
  raw: unknown;
  screenshot: Screenshot | undefined;
  pictures: readonly ElementPicture[];
  /** By what the page is compared with the others; undefined if it is not. */
  facts: PageFacts | undefined;
};

/**
 * Judges the outcome of a check: what is stored of it within the limits, what counts of it by standard and mutings, and
 * under which fingerprints later reports find it again.
 *
 * @param page its URL, and its source if that may be kept
 */
export function judgeCheck(
  outcome: CheckOutcome,
  page: { url: string; source: SourceSize | undefined },
  mutings: PageMutings,
  spec: ReportSpec,
): Verdict {
  const tally = emptyTally();
  const key = pageKey(page.url, spec);
  const found = "issues" in outcome ? boundIssues(outcome.issues.filter((issue) => countOf(issue) > 0)) : [];
  const marked = found.map((issue) => markOutside(outcome.kind, issue, spec.standard));
  const causeAt = causesAt(outcome.kind, "issues" in outcome ? outcome.issues : []);
  const identified = marked.map((issue) => identifyIssue(outcome.kind, issue, key, causeAt));
  const bounded = boundElements(identified.map(({ issue }) => issue));
  const issues = bounded.map((issue, index): JudgedIssue => {
    const { findings, ...muted } = mute(issue, identified[index]?.findings ?? [], mutings);
    countIssue(tally, issue, countedElements(muted), mutedElements(muted));
    return { issue, findings, ...muted };
  });
  return {
    tally,
    issues,
    failure: "failure" in outcome ? outcome.failure : undefined,
    engine: "issues" in outcome ? outcome.engine : undefined,
    httpStatus: knowsStatus(spec) ? undefined : outcome.httpStatus,
    keepsSource: keepsSource(outcome, page.source),
    raw: spec[manifestOf(outcome.kind).settings.storeRaw] && "raw" in outcome ? outcome.raw : undefined,
    screenshot: screenshotToStore(outcome, spec),
    facts: "facts" in outcome ? outcome.facts : undefined,
    pictures:
      screenshotKind(spec) === outcome.kind && "pictures" in outcome ? boundPictures(outcome.pictures ?? []) : [],
  };
}

function mute(issue: Issue, findings: readonly Finding[], mutings: PageMutings) {
  const { findings: mutingIds, ...muted } = muteIssue(
    mutings,
    { text: issue.message, rule: issue.rule ?? "", howMany: countOf(issue) },
    findings.map((finding) => ({ ...finding, selector: finding.element?.selector ?? null })),
  );
  return { ...muted, findings: findings.map((finding, at) => ({ ...finding, mutingId: mutingIds[at] ?? null })) };
}

/** If there are checks of the source, the page's status is the one that the crawler received with it. */
function knowsStatus(spec: ReportSpec): boolean {
  return performedKinds(spec).some(needsSource);
}

/** Whether a page's source is kept after its check, to show findings in it, within the limits. */
function keepsSource(outcome: CheckOutcome, source: SourceSize | undefined): boolean {
  if (!needsSource(outcome.kind) || !("issues" in outcome) || !source) return false;
  if (source.bytes > MAX_STORED_BYTES.source || source.length > MAX_SOURCE_LENGTH) return false;
  return outcome.issues.some((issue) => countOf(issue) > 0);
}

function screenshotToStore(outcome: CheckOutcome, spec: ReportSpec): Screenshot | undefined {
  if (screenshotKind(spec) !== outcome.kind || !("screenshot" in outcome) || !outcome.screenshot) return undefined;
  return outcome.screenshot.png.byteLength <= MAX_STORED_BYTES.screenshot ? outcome.screenshot : undefined;
}
