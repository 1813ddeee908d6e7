import type { HtmlIssue } from "../../../domain/findings.ts";
import { createSourceMap, type Located } from "../html/source-map.ts";
import { demoted, dismissed, findingKey, htmlRules, parserErrorTags } from "./rules.ts";

/** What is used of an html-validate message. */
export type RuleMessage = { ruleId: string; severity: number; message: string; offset: number; size: number };

/** A message as the Nu HTML Checker words it; the raw check is made of these. */
export type NuMessage = {
  type: "error" | "info";
  subType?: "warning";
  message: string;
  extract: string;
  firstLine?: number;
  lastLine: number;
  firstColumn: number;
  lastColumn: number;
  hiliteStart: number;
  hiliteLength: number;
};

/**
 * Findings kept of one page. What comes later in the page is left out, and one warning
 * says so: a page of ten megabytes made of nothing but errors must not fill the memory
 * of all that handle it. Issues stay whole: `how_many` is always the length of `html`.
 */
export const MAX_FINDINGS = 20_000;
/** Longest message: html-validate quotes names and values of the page. */
const MAX_MESSAGE = 500;
const TOO_MANY = "too-many-findings";

type Finding = Located & { type: "error" | "warning"; rule: string; message: string };

/** The findings of one page in document order, with what they are about. */
export function locateFindings(reported: readonly RuleMessage[], source: string): Finding[] {
  const messages = reported.filter(({ ruleId, message }) => !dismissed.has(findingKey(ruleId, message)));
  const locate = createSourceMap(source);
  const findings = messages.slice(0, MAX_FINDINGS).map(
    (message): Finding => ({
      ...locate(message.offset, message.size),
      type: typeOf(message),
      rule: message.ruleId,
      message: storable(message.message, MAX_MESSAGE),
    }),
  );
  const next = messages[MAX_FINDINGS];
  if (next) {
    findings.push({
      ...locate(next.offset, next.size),
      type: "warning",
      rule: TOO_MANY,
      message: `More than ${MAX_FINDINGS} findings on one page: those after this point are not listed.`,
    });
  }
  for (const finding of findings) finding.extract = storable(finding.extract, finding.extract.length);
  return findings;
}

/** Grouped by what is wrong: one issue with one entry an element. */
export function groupFindings(findings: readonly Finding[]): HtmlIssue[] {
  const issues = new Map<string, HtmlIssue>();
  for (const { type, rule, message, extract, coordinates } of findings) {
    const key = `${type} ${rule} ${message}`;
    let issue = issues.get(key);
    if (!issue) {
      issue = { issue_type: type, issue_sub_type: rule, message, tags: tagsOf(rule), html: [] };
      issues.set(key, issue);
    }
    issue.html.push({ extract, coordinates });
  }
  return [...issues.values()];
}

/** The findings in Nu's format. Like Nu, a finding within one line has no `firstLine`. */
export function nuMessages(findings: readonly Finding[]): NuMessage[] {
  return findings.map(({ type, message, extract, coordinates: at }) => ({
    ...(type === "error" ? { type: "error" } : { type: "info", subType: "warning" }),
    message,
    extract,
    ...(at.first_line === at.last_line ? {} : { firstLine: at.first_line }),
    lastLine: at.last_line,
    firstColumn: at.first_column ?? 1,
    lastColumn: at.last_column,
    hiliteStart: at.hilite_start,
    hiliteLength: at.hilite_length,
  }));
}

/**
 * html-validate obeys comments of the page (`<!-- [html-validate-disable …] -->`), and
 * no option turns that off. The page must not judge itself, so the word that it looks
 * for is replaced by another of the same length: every offset stays right. Extracts
 * come from the untouched source.
 */
export function withoutDirectives(source: string): string {
  return source.includes("html-validate-")
    ? source.replaceAll(/(<!--\s*\[?)html-validate-/g, "$1html_validate_")
    : source;
}

function typeOf({ ruleId, severity, message }: RuleMessage): "error" | "warning" {
  if (demoted.has(findingKey(ruleId, message))) return "warning";
  return severity === 2 ? "error" : "warning";
}

function tagsOf(rule: string): string[] {
  return [...(htmlRules[rule]?.tags ?? (rule === TOO_MANY ? [] : parserErrorTags))];
}

/** PostgreSQL stores neither NUL nor halves of surrogate pairs; replacements keep the length. */
function storable(text: string, longest: number): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return cut.replaceAll("\0", "\ufffd").toWellFormed();
}
