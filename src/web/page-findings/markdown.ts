import type { RenderedGuide } from "../../domain/guides/guides.ts";
import { titleOf } from "../parts/finding.ts";
import { texts } from "../texts/en.ts";
import { type Fault, firstOf } from "./faults.ts";

const t = texts.page;

/** For a tracker of issues: what is wrong, where, and what helps. */
export function markdownOf(fault: Fault, guide: RenderedGuide | undefined): string {
  const { attributes: finding } = fault.findings[0];
  const line = firstOf(fault, (one) => one.element?.coordinates?.first_line);
  const target = firstOf(fault, (one) => one.element?.target ?? one.element?.selector);
  const fix = firstOf(fault, (one) => one.element?.fix);
  const source = firstOf(fault, (one) => one.element?.extract);
  const judged = fault.findings.flatMap(({ attributes }) =>
    attributes.success_criteria.map(({ number, title }) => `${number} ${title}`),
  );
  return [
    `### ${finding.title}`,
    "",
    ...(finding.message === finding.title ? [] : [finding.message, ""]),
    `- ${t.markdown.page}: ${finding.url}${line === undefined ? "" : `, ${texts.issue.line(line, null).toLowerCase()}`}`,
    ...(target ? [`- ${t.markdown.element}: ${inCode(target)}`] : []),
    ...(judged.length > 0 ? [`- WCAG: ${[...new Set(judged)].join(", ")}`] : []),
    `- ${t.foundBy}: ${fault.findings.map(({ attributes: { kind, rule } }) => [titleOf(kind), rule].filter(Boolean).join(" ")).join(", ")}`,
    ...(fix ? [`- ${t.markdown.change}: ${inCode(fix.title)}`] : []),
    ...(source ? ["", ...codeBlock(source)] : []),
    ...(guide ? ["", guide.guide.parts.at(-1)?.markdown ?? ""] : []),
  ].join("\n");
}

/** A fence that nothing in a text closes: a page may have any number of backticks (CommonMark, sections 4.5 and 6.1). */
function fenceFor(text: string, least: number): string {
  const runs = text.match(/`+/g) ?? [];
  return "`".repeat(Math.max(least, ...runs.map(({ length }) => length + 1)));
}

function codeBlock(source: string): string[] {
  const fence = fenceFor(source, 3);
  return [`${fence}html`, source, fence];
}

/** Text as code in a line: of a text that begins or ends with a backtick, spaces keep it apart from the fence. */
function inCode(text: string): string {
  const fence = fenceFor(text, 1);
  const space = /^`|`$/.test(text) ? " " : "";
  return `${fence}${space}${text}${space}${fence}`;
}
