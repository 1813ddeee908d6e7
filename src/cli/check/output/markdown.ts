import { withoutCommands } from "html-conformance/log-text";
import { checkKinds, manifestOf } from "../../../checks/kinds.ts";
import { exampleText } from "../../../domain/coverage/coverage.ts";
import { number, plural } from "../../../domain/plural.ts";
import { oneLine } from "../../terminal.ts";
import type { FailedPage } from "../failed-pages.ts";
import { ignoredText } from "../ignored.ts";
import { inOptions } from "../request.ts";
import type { LeftOut } from "../targets/served-pages.ts";
import type { CheckedReport } from "../verdict.ts";
import { type FixFirst, removes, sumOfFirst } from "./causes-text.ts";
import { type CoveredReport, coverageSummary } from "./coverage-text.ts";
import type { ComponentGroup, RuleGroup } from "./group-findings.ts";
import type { Result } from "./result-text.ts";

const MAX_RULES = 20;
const MAX_FAILED = 10;
const MAX_CODE = 120;
/** Of the pages that link to one that failed. */
const PAGES_SHOWN = 3;

/**
 * The result as GitHub-flavoured Markdown, for a job's summary or a comment. Text of a site is in code spans, where
 * markup, links and mentions have no effect.
 */
export function resultMarkdown(
  { report, rules, failed, verdict, baseline, fixFirst, leftOut = [], ignored = [] }: Result,
  place: (url: string) => string,
): string {
  const passed = verdict.exitCode === 0;
  const isIncomplete = report.coverage?.complete === false;
  const headline = verdict.stopped ? "could not be checked" : passed ? "passed" : "failed";
  const without = ignoredText(ignored);
  const shown = rules.filter(({ severity }) => severity !== "outside");
  const parts = [
    `## ${code(place(report.starting_url))} ${headline}${isIncomplete && passed ? ", not everything was checked" : ""}`,
    ...(verdict.stopped ? [code(verdict.stopped)] : [totals(report)]),
    ...(baseline ? [states(baseline.states)] : []),
    ...(without === undefined ? [] : [`${without}.`]),
    ...(fixFirst && fixFirst.data.length > 1 ? [causeList(fixFirst)] : []),
    ...(shown.length > 0 ? [ruleTable(shown, place)] : []),
    ...(failed.length > 0 ? [failedList(failed, place)] : []),
    ...(report.coverage ? [coverageList({ checks: report.checks, coverage: report.coverage }, place)] : []),
    ...(leftOut.length > 0 ? [leftOutList(leftOut)] : []),
  ];
  return `${withoutCommands(parts.join("\n\n"))}\n`;
}

function totals({ num_pages, checks, standard }: CheckedReport): string {
  const rows = checkKinds.flatMap((kind) => {
    const check = checks[kind];
    if (!check) return [];
    const { errors, warnings } = check.issues;
    const { name, hasStandards } = manifestOf(kind);
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}${hasStandards ? ` (${standard})` : ""}`;
    const outside = "outside_standard" in check.issues ? number(check.issues.outside_standard) : "";
    return [`| ${title} | ${number(errors)} | ${number(warnings)} | ${outside} |`];
  });
  const head = "| | errors | warnings | outside of the standard |\n|---|---:|---:|---:|";
  return [`${plural(num_pages, "page")} found.`, "", head, ...rows].join("\n");
}

function states({ persisting, new: isNew, fixed }: NonNullable<Result["baseline"]>["states"]): string {
  const count = ({ errors, warnings }: { errors: number; warnings: number }) => number(errors + warnings);
  return `Against the baseline: **${count(isNew)} new**, ${count(fixed)} fixed, ${count(persisting)} known.`;
}

/** What to change first, in the order of the report's page. */
function causeList(fixFirst: FixFirst): string {
  const items = fixFirst.data.map(({ attributes: cause }, index) => {
    const where = cause.place === "" ? "" : ` ${code(cause.place)}`;
    return `${index + 1}. ${code(cause.title)}: ${removes(cause)}.${where}`;
  });
  return [`### Fix first`, "", `${capital(sumOfFirst(fixFirst))}.`, "", ...items].join("\n");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function ruleTable(rules: readonly RuleGroup[], place: (url: string) => string): string {
  const rows = rules.slice(0, MAX_RULES).map(({ severity, rule, impact, howMany, numPages, helpUrl, components }) => {
    const text = rule === null ? "without a rule" : codeInCell(rule);
    const name = helpUrl !== null && /^https:\/\/[^\s|()<>]+$/.test(helpUrl) ? `[${text}](${helpUrl})` : text;
    const [first] = components;
    const where = first ? whereOf(first, place) : "";
    return `| ${severity}${impact === null ? "" : `, ${impact}`} | ${name} | ${number(howMany)} | ${number(numPages)} | ${where} |`;
  });
  const more = rules.length > MAX_RULES ? [`\nand ${plural(rules.length - MAX_RULES, "more rule")}`] : [];
  return ["| | rule | elements | pages | first |", "|---|---|---:|---:|---|", ...rows, ...more].join("\n");
}

function whereOf({ url, line, column, target, html }: ComponentGroup, place: (url: string) => string): string {
  const position = line === null ? place(url) : [place(url), line, ...(column === null ? [] : [column])].join(":");
  const element = html ?? target;
  return element === null ? codeInCell(position) : `${codeInCell(position)}<br>${codeInCell(element)}`;
}

function failedList(failed: readonly FailedPage[], place: (url: string) => string): string {
  const lines = failed.slice(0, MAX_FAILED).map(({ url, linkedFrom, numLinkedFrom, codes }) => {
    const shown = linkedFrom.slice(0, PAGES_SHOWN).map((page) => code(place(page)));
    const others = numLinkedFrom - shown.length;
    const from =
      shown.length === 0 ? "" : `, linked from ${shown.join(", ")}${others > 0 ? ` and ${number(others)} more` : ""}`;
    return `- ${code(place(url))} (${codes.map(code).join(", ")})${from}`;
  });
  const more = failed.length > MAX_FAILED ? [`- and ${plural(failed.length - MAX_FAILED, "more page")}`] : [];
  return [`### Could not be checked: ${plural(failed.length, "page")}`, "", ...lines, ...more].join("\n");
}

function coverageList(report: CoveredReport, place: (url: string) => string): string {
  const lines = report.coverage.notices.map(({ code: name, severity, message, examples: [first], advice }) => {
    const example = first && exampleText(first, place);
    return `- ${severity} \`${name}\`: ${message}${example ? ` ${code(example)}` : ""} ${inOptions(advice)}`;
  });
  return [`### Coverage`, "", coverageSummary(report), ...(lines.length > 0 ? ["", ...lines] : [])].join("\n");
}

function leftOutList(leftOut: readonly LeftOut[]): string {
  const lines = leftOut.slice(0, MAX_FAILED).map(({ file, reason }) => `- ${code(file)}: ${reason}`);
  const more = leftOut.length > MAX_FAILED ? [`- and ${plural(leftOut.length - MAX_FAILED, "more file")}`] : [];
  return [`### Left out: ${plural(leftOut.length, "file")}`, "", ...lines, ...more].join("\n");
}

/** Text of a site as a code span that it cannot leave. @see https://github.github.com/gfm/#code-spans */
function code(text: string): string {
  const line = oneLine(text);
  const kept = line.length > MAX_CODE ? `${line.slice(0, MAX_CODE - 1)}…` : line;
  const longest = Math.max(0, ...(kept.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence} ${kept} ${fence}`;
}

/**
 * Code in a cell of a table. A bar ends the cell even in a code span unless it is escaped, and backslashes before it
 * would undo the escape.
 */
function codeInCell(text: string): string {
  return code(text).replace(/(\\*)\|/g, "$1$1\\|");
}
