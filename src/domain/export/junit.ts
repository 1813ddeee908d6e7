import { logMarkup } from "html-conformance/log-text";
import { type Coverage, exampleText, isGap, noticeSentence } from "../coverage/coverage.ts";
import { type NoticeGroup, noticeTexts } from "../coverage/notices.ts";
import { type CheckKind, checkKinds } from "../findings/findings.ts";
import { number, plural } from "../plural.ts";
import type { Exported, ExportedFinding, ExportedPage, ExportedReport, ExportFormat } from "./exported.ts";

/** The most elements that one failure names. */
const MAX_NAMED = 20;

type Attributes = Record<string, string | number>;

async function* write({ report, pages }: Exported): AsyncIterable<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n';
  let id = 0;
  for await (const page of pages()) {
    yield suite(report, page, id);
    id += 1;
  }
  if (report.coverage) yield coverageSuite(report, report.coverage, id);
  yield "</testsuites>\n";
}

/**
 * One suite per page, and one case per rule with findings; errors fail their case. A kind of check without errors is
 * a case that passes; a check that failed is an error. Warnings, muted findings and those outside of the standard do not
 * fail a case: they are in the suite's output.
 */
function suite(report: ExportedReport, page: ExportedPage, id: number): string {
  const cases = page.checks.flatMap(({ kind, status, failure_code, failure_detail }): Case[] => {
    if (status === "failed")
      return [{ kind, name: kind, error: { type: failure_code ?? "failed", message: failure_detail ?? "" } }];
    const failures = byRule(page.findings.filter((found) => found.kind === kind && isError(found)));
    if (failures.length > 0) return failures.map((findings) => ({ kind, name: findings[0]?.rule ?? kind, findings }));
    return status === "checked" ? [{ kind, name: kind }] : [];
  });
  const others = [false, true].flatMap((muted) =>
    byRule(page.findings.filter((found) => !isError(found) && found.muted === muted)),
  );
  const counts = {
    tests: cases.length,
    failures: cases.filter(({ findings }) => findings).length,
    errors: cases.filter(({ error }) => error).length,
  };
  const output = others.map((findings) => `${severityOf(findings)}: ${describe(findings)}\n`).join("");
  const given = { name: page.url, id, hostname: new URL(page.url).hostname, ...counts };
  return suiteOf(report, given, { cases: cases.map((one) => testCase(page.url, one)), output });
}

/**
 * What the report covers: a case for each gap, or one that passes if there is none. A gap is skipped, because something was
 * not tested; it is a failure if the report's gate requires that nothing is left out. Notes are in the suite's output.
 */
function coverageSuite(report: ExportedReport, { notices }: Coverage, id: number): string {
  const strict = report.requiresComplete;
  const gaps = notices.filter(isGap);
  const said = ({ code, examples }: NoticeGroup) =>
    [...examples.map((example) => `  ${exampleText(example)}\n`), `${noticeTexts[code].advice}\n`].join("");
  const caseOf = (name: string, content: string) =>
    element("testcase", { name, classname: `coverage ${report.starting_url}`, time: 0 }, content);
  const cases = gaps.map((gap) => {
    const message = noticeSentence(gap);
    const result = strict
      ? element("failure", { message, type: gap.code }, text(said(gap)))
      : element("skipped", {}, text(`${message}\n${said(gap)}`));
    return caseOf(gap.code, result);
  });
  const all = cases.length === 0 ? [caseOf("complete", "")] : cases;
  const counts = {
    tests: all.length,
    failures: strict ? gaps.length : 0,
    errors: 0,
    ...(!strict && gaps.length > 0 && { skipped: gaps.length }),
  };
  const notes = notices.filter((group) => !isGap(group)).map((note) => `${noticeSentence(note)}\n${said(note)}`);
  return suiteOf(
    report,
    { name: "coverage", id, hostname: new URL(report.starting_url).hostname, ...counts },
    { cases: all, output: notes.join("") },
  );
}

/** @param given its name, number, host and counts */
function suiteOf(
  { id, starting_url, inserted_at }: ExportedReport,
  { name, id: number, hostname, ...counts }: Attributes & Record<"name" | "id" | "hostname", string | number>,
  { cases, output }: { cases: readonly string[]; output: string },
): string {
  const attributes: Attributes = {
    // The time is in UTC; the schemas of JUnit allow no designator.
    ...{ name, id: number, package: starting_url, hostname, timestamp: inserted_at.toISOString().slice(0, 19) },
    ...counts,
    time: 0,
  };
  const inner = [
    element("properties", {}, element("property", { name: "report", value: id }, "")),
    ...cases,
    element("system-out", {}, text(output)),
    element("system-err", {}, ""),
  ];
  return `${element("testsuite", attributes, `\n${inner.join("\n")}\n`)}\n`;
}

function isError({ issue_type, outside_standard, muted }: ExportedFinding): boolean {
  return issue_type === "error" && !outside_standard && !muted;
}

function severityOf([finding]: readonly ExportedFinding[]): string {
  if (finding?.muted) return "muted";
  return finding?.outside_standard ? "outside the standard" : "warning";
}

type Case = {
  kind: CheckKind;
  name: string;
  findings?: readonly ExportedFinding[];
  error?: { type: string; message: string };
};

function testCase(url: string, { kind, name, findings, error }: Case): string {
  const attributes = { name, classname: `${kind} ${url}`, time: 0 };
  if (error) return element("testcase", attributes, element("error", error, ""));
  if (!findings) return element("testcase", attributes, "");
  const failure = { message: findings[0]?.message ?? "", type: name };
  return element("testcase", attributes, element("failure", failure, text(describe(findings))));
}

/** The findings of one rule: messages, places, and how many more there are. */
function describe(findings: readonly ExportedFinding[]): string {
  const count = findings.reduce((sum, { how_many }) => sum + how_many, 0);
  const named = findings.slice(0, MAX_NAMED).map((finding) => `  ${placeOf(finding)}: ${finding.message}`);
  const rest = findings.length - named.length;
  const [{ kind, rule, help_url }] = findings as [ExportedFinding];
  return [
    `${rule ?? kind}, ${plural(count, "element")}${help_url ? ` (${help_url})` : ""}`,
    ...named,
    ...(rest > 0 ? [`  and ${number(rest)} more`] : []),
  ].join("\n");
}

function placeOf({ line, column, target, selector }: ExportedFinding): string {
  if (line !== null) return column === null ? `line ${line}` : `line ${line}, column ${column}`;
  return target ?? selector ?? "the page";
}

function byRule(findings: readonly ExportedFinding[]): ExportedFinding[][] {
  const groups = checkKinds.flatMap((kind) => [
    ...Map.groupBy(
      findings.filter((finding) => finding.kind === kind),
      ({ rule }) => rule,
    ).values(),
  ]);
  return groups;
}

function element(name: string, attributes: Attributes, content: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(String(value))}"`);
  const start = `<${name}${written.join("")}`;
  return content === "" ? `${start}/>` : `${start}>${content}</${name}>`;
}

/** Characters that XML 1.0 (section 2.2) does not have, also when they are escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the characters
const NOT_XML = /[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]|\p{Surrogate}/gu;

const text = (value: string): string =>
  logMarkup(value.replace(NOT_XML, "\uFFFD").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"));

const attribute = (value: string): string =>
  text(value).replace(/"/g, "&quot;").replace(/\t/g, "&#9;").replace(/\n/g, "&#10;");

/** JUnit's XML, as continuous integration reads it. */
export const junit: ExportFormat = {
  title: "JUnit",
  description: "One suite per page, one case per rule with errors; warnings do not fail a case.",
  mediaType: "application/xml",
  write,
};
