import { visible, withoutCommands } from "html-conformance/log-text";
import { checkKinds, manifestOf } from "../../../checks/kinds.ts";
import { number, plural } from "../../../domain/plural.ts";
import { oneLine, styled, wrap } from "../../terminal.ts";
import type { FailedPage } from "../failed-pages.ts";
import { gateTable } from "../gate.ts";
import { criteriaText, type IgnoredBy, ignoredText } from "../ignored.ts";
import type { LeftOut } from "../targets/served-pages.ts";
import type { CheckedReport, Verdict } from "../verdict.ts";
import { type BaselineResult, baselineText } from "./baseline-text.ts";
import { causesText, type FixFirst } from "./causes-text.ts";
import { coverageText, type LeftOutAddress, stoppedText } from "./coverage-text.ts";
import { fitRules } from "./fit-rules.ts";
import { type RuleGroup, severities } from "./group-findings.ts";
import { type Layout, ruleText } from "./rule-text.ts";

export type Result = {
  report: CheckedReport;
  /** With a baseline, of what is new. */
  rules: readonly RuleGroup[];
  failed: readonly FailedPage[];
  verdict: Verdict;
  baseline?: BaselineResult | undefined;
  /** Not with a baseline. */
  fixFirst?: FixFirst | undefined;
  /** Files of a checked folder that are not of it. */
  leftOut?: readonly LeftOut[] | undefined;
  /** What became of the entries of `ignore`. */
  ignored?: readonly IgnoredBy[];
  /** With `--verbose`, every address that was left out. */
  addresses?: readonly LeftOutAddress[] | undefined;
};

/** The most lines of a result, unless all are asked for. */
const MAX_LINES = 60;
const MAX_FAILED_SHOWN = 5;
/** Of the pages that link to one of these. */
const PAGES_SHOWN = 3;
/** Room for pages that could not be checked: the findings need the rest. */
const MAX_FAILED_LINES = 20;
/** Characters of a message where lines are counted; messages may quote a page at length. */
const MAX_MESSAGE = 300;

/**
 * The result as text for people: the worst findings first, the totals last. Empty when nothing could be checked and
 * `verdict.stopped` is the only reason.
 */
export function resultText(result: Result, layout: Layout): string {
  const { failed, verdict } = result;
  const end = endOf(result, layout);
  if (layout.detail === "totals") return joined(verdict.stopped ? end : quietLines(result, layout));
  const failures = failed.length > (verdict.stopped ? 1 : 0) ? [...failedList(failed, layout), ""] : [];
  const isWhole = layout.detail === "all";
  const room = isWhole ? Number.POSITIVE_INFINITY : MAX_LINES - end.length - failures.length;
  const maxMessage = isWhole ? Number.POSITIVE_INFINITY : MAX_MESSAGE;
  const { rules, outside } = shownRules(result, layout);
  const found = fitRules(
    rules.map((rule) => ruleText(rule, { ...layout, maxMessage })),
    // One empty line for the count of what is left out, and one after what is outside.
    room - 1 - (outside.length > 0 ? outside.length + 1 : 0),
  );
  const left = found.length > 0 && found.at(-1) !== "" ? [...found, ""] : found;
  return joined([...left, ...(outside.length > 0 ? [...outside, ""] : []), ...failures, ...end]);
}

/** Findings outside of the standard are only counted, unless everything is to be shown. */
function shownRules(
  { rules, report }: Result,
  { detail, terminal }: Layout,
): { rules: RuleGroup[]; outside: string[] } {
  if (detail === "all") return { rules: [...rules], outside: [] };
  const counted = rules.filter(({ severity }) => severity !== "outside");
  const outside = rules.filter(({ severity }) => severity === "outside");
  if (outside.length === 0) return { rules: counted, outside: [] };
  const line = `${plural(
    outside.reduce((sum, { howMany }) => sum + howMany, 0),
    "finding",
  )} of ${plural(outside.length, "rule")} outside of ${report.standard}, such as best practices: --verbose`;
  return { rules: counted, outside: wrap(line, terminal, 0).map((text) => styled(terminal, "dim", text)) };
}

function endOf(result: Result, layout: Layout): string[] {
  const { report, verdict, rules, failed } = result;
  const { terminal } = layout;
  const { checks, coverage } = report;
  if (verdict.stopped) return coverage ? stoppedText({ checks, coverage }, layout) : [];
  const lines: string[] = [];
  if (report.gate_results) {
    const rows = gateTable(report.gate_results).split("\n");
    lines.push(...rows.flatMap((row) => wrap(row, terminal, 0)), "");
  }
  if (report.failure) {
    const failure = oneLine(layout.reason(`${report.failure.detail} (${report.failure.code})`));
    lines.push(...wrap(failure, terminal, 0), "");
  }
  if (result.baseline) lines.push(...baselineText(result.baseline, layout.terminal, layout.place));
  else if (rules.length === 0 && failed.length === 0) lines.push(noIssues(result, layout), "");
  lines.push(...ignoredLines(result, layout));
  if (coverage) lines.push(...coverageText({ checks, coverage }, result.addresses ?? [], layout));
  if (result.fixFirst) lines.push(...causesText(result.fixFirst, terminal));
  return [...lines, ...totals(result, layout)];
}

/** Nobody takes what was not checked for right. */
function noIssues({ report }: Result, { terminal }: Layout): string {
  if (report.coverage?.complete === false) return "No issues found in what was checked.";
  return styled(terminal, "passed", "No issues found.");
}

function quietLines(result: Result, layout: Layout): string[] {
  const { checks, coverage } = result.report;
  return [...(coverage ? coverageText({ checks, coverage }, [], layout) : []), ...totals(result, layout)];
}

/** Each entry with its reason, where everything is shown. */
function ignoredLines({ ignored = [] }: Result, { detail, terminal }: Layout): string[] {
  const shown = detail === "all" ? ignored : [];
  const lines = shown.flatMap(({ entry, findings }) => {
    const until = entry.expires_at === undefined ? "" : `, until ${entry.expires_at}`;
    const about = `Ignored: ${plural(findings, "finding")} by ${criteriaText(entry)}${until}`;
    const why = entry.reason ?? entry.comment ?? entry.category?.replaceAll("_", " ");
    return [
      ...wrap(visible(about), terminal, 0),
      ...(why === undefined ? [] : wrap(visible(why), terminal, 2).map((line) => `  ${line}`)),
    ];
  });
  return lines.length === 0 ? [] : [...lines, ""];
}

/** The last line: what was checked, and how much was found. */
function totals({ report, rules, baseline, ignored = [] }: Result, { terminal, place }: Layout): string[] {
  const counts = checkKinds.flatMap((kind) => {
    const check = report.checks[kind];
    if (!check) return [];
    const { errors, warnings } = check.issues;
    const { checked, failed } = check.status;
    if (checked === 0 && failed > 0) return [`${manifestOf(kind).name}: not checked`];
    const outside = "outside_standard" in check.issues ? check.issues.outside_standard : 0;
    const what = `${manifestOf(kind).name}: ${plural(errors, "error")}, ${plural(warnings, "warning")}`;
    return [outside === 0 ? what : `${what}, ${outside} outside of ${report.standard}`];
  });
  const found = severities.slice(0, 2).map((severity) => {
    const components = rules.filter((rule) => rule.severity === severity).flatMap((rule) => rule.components);
    return components.length;
  });
  const places = found.reduce((sum, one) => sum + one, 0);
  const work = places === 0 ? [] : [`${plural(places, baseline ? "new place" : "place")} to fix`];
  const without = ignoredText(ignored);
  const parts = [
    ...[visible(place(report.starting_url)), plural(report.num_pages, "page"), ...counts, ...work],
    ...(without === undefined ? [] : [without]),
  ];
  return wrap(parts.join(" · "), terminal, 0).map((line) => styled(terminal, "bold", line));
}

function failedList(failed: readonly FailedPage[], layout: Layout): string[] {
  const lines: string[] = [];
  let shown = 0;
  for (const page of failed) {
    const block = failedPage(page, layout);
    const isFull = shown >= MAX_FAILED_SHOWN || lines.length + block.length > MAX_FAILED_LINES;
    if (layout.detail !== "all" && shown > 0 && isFull) break;
    lines.push(...block);
    shown++;
  }
  const more = failed.length - shown;
  return [
    styled(layout.terminal, "error", `Could not be checked: ${plural(failed.length, "page")}`),
    ...lines,
    ...(more > 0 ? [`  and ${plural(more, "more page")}: --verbose`] : []),
  ];
}

function failedPage(
  { url, linkedFrom, numLinkedFrom, reasons }: FailedPage,
  { place, reason, terminal, detail }: Layout,
): string[] {
  const shown = detail === "all" ? linkedFrom : linkedFrom.slice(0, PAGES_SHOWN);
  const others = numLinkedFrom - shown.length;
  const from = `linked from ${shown.map((page) => visible(place(page))).join(", ")}${others > 0 ? ` and ${number(others)} more` : ""}`;
  const indented = (text: string) => wrap(text, terminal, 4).map((line) => `    ${line}`);
  return [
    `  ${visible(place(url))}`,
    ...reasons.flatMap((text) => indented(oneLine(reason(text)))),
    ...(shown.length === 0 ? [] : indented(from)),
  ];
}

function joined(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${withoutCommands(lines.join("\n"))}\n`;
}
