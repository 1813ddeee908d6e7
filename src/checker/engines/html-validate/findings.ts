import type { HtmlIssue } from "../../../domain/findings.ts";
import { createSourceMap, type Located } from "../html/source-map.ts";
import { downgraded, falsePositives, findingKey, htmlRules, parserErrorTags } from "./rules.ts";

/** The fields of an html-validate message that are used. */
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
 * Findings kept per page. Later findings are dropped, and one warning says so. This bounds memory
 * when a page has ten megabytes of errors. `how_many` is always the length of `html`.
 */
export const MAX_FINDINGS = 20_000;
/** Limits each message: html-validate quotes names and values of the page. */
const MAX_MESSAGE_LENGTH = 500;
const TOO_MANY_FINDINGS = "too-many-findings";

type Finding = Located & { type: "error" | "warning"; rule: string; message: string };

/** The findings of one page in document order, with their extracts and coordinates. */
export function locateFindings(reported: readonly RuleMessage[], source: string): Finding[] {
  const messages = reported.filter(({ ruleId, message }) => !falsePositives.has(findingKey(ruleId, message)));
  const locate = createSourceMap(source);
  const findings = messages.slice(0, MAX_FINDINGS).map(
    (message): Finding => ({
      ...locate(message.offset, message.size),
      type: typeOf(message),
      rule: message.ruleId,
      message: storable(message.message, MAX_MESSAGE_LENGTH),
    }),
  );
  const next = messages[MAX_FINDINGS];
  if (next) {
    findings.push({
      ...locate(next.offset, next.size),
      type: "warning",
      rule: TOO_MANY_FINDINGS,
      message: `More than ${MAX_FINDINGS} findings on one page: those after this point are not listed.`,
    });
  }
  for (const finding of findings) finding.extract = storable(finding.extract, finding.extract.length);
  return findings;
}

/** Groups findings by type, rule and message: one issue has one entry per element. */
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
 * Disables directives in the page's comments (`<!-- [html-validate-disable …] -->`). html-validate
 * has no option for that, so the word that it looks for is replaced by another one of the same
 * length, which keeps all offsets right. Extracts come from the original source.
 */
export function withoutDirectives(source: string): string {
  return source.includes("html-validate-")
    ? source.replaceAll(/(<!--\s*\[?)html-validate-/g, "$1html_validate_")
    : source;
}

function typeOf({ ruleId, severity, message }: RuleMessage): "error" | "warning" {
  if (downgraded.has(findingKey(ruleId, message))) return "warning";
  return severity === 2 ? "error" : "warning";
}

function tagsOf(rule: string): string[] {
  return [...(htmlRules[rule]?.tags ?? (rule === TOO_MANY_FINDINGS ? [] : parserErrorTags))];
}

/** Replaces NUL and lone surrogates, which PostgreSQL cannot store. The replacements keep the length. */
function storable(text: string, longest: number): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return cut.replaceAll("\0", "\ufffd").toWellFormed();
}
