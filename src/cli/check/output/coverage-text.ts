import type { Attributes } from "../../../api/documents.ts";
import { checkKinds, manifestOf } from "../../../checks/kinds.ts";
import { exampleText, tallyPages } from "../../../domain/coverage/coverage.ts";
import { leftOutTexts } from "../../../domain/coverage/left-out.ts";
import { MAX_EXAMPLES, maxExamples } from "../../../domain/coverage/notices.ts";
import type { ExclusionReason } from "../../../domain/failure.ts";
import { number, plural } from "../../../domain/plural.ts";
import { oneLine, styled, wrap } from "../../terminal.ts";
import { inOptions } from "../request.ts";
import type { Layout } from "./rule-text.ts";

type Report = Attributes<"report">;
export type Covered = NonNullable<Report["coverage"]>;
/** A report with what it covers. */
export type CoveredReport = Pick<Report, "checks"> & { coverage: Covered };
/** An address that was left out. */
export type LeftOutAddress = Pick<Attributes<"excluded_url">, "url" | "linked_from" | "reason">;

/**
 * What the result covers: always one line; what was left out with examples; with `all`, every address.
 *
 * @param shown the notices with examples
 */
export function coverageText(
  report: CoveredReport,
  addresses: readonly LeftOutAddress[],
  layout: Layout,
  shown = report.coverage.notices,
): string[] {
  const { coverage } = report;
  const { terminal, detail } = layout;
  const summary = wrap(coverageSummary(report), terminal, 0).map((line) =>
    styled(terminal, coverage.complete ? "dim" : "warning", line),
  );
  if (detail === "totals") return summary;
  const notices = shown.flatMap((notice) => noticeText(notice, layout));
  return [...notices, ...addressList(addresses, layout), ...summary, ""];
}

/**
 * What there is to say of a report that could not be checked, besides why: what it asks for, such as a sign-in. Empty when
 * there is nothing else.
 */
export function stoppedText(report: CoveredReport, layout: Layout): string[] {
  const others = report.coverage.notices.filter(({ code }) => code !== "nothing_checked" && code !== "pages_failed");
  return others.length === 0 ? [] : coverageText(report, [], layout, others);
}

/** Whether everything was checked, in one line. */
export function coverageSummary({ coverage, checks }: CoveredReport): string {
  const { pages, checked, failed, withoutPage } = tallyPages(coverage);
  const gaps = coverage.notices.filter(({ severity }) => severity === "gap");
  const left = Object.entries(coverage.pages.left_out).map(
    ([reason, count]) => `${number(count)} ${leftOutTexts[reason as ExclusionReason].counted}`,
  );
  const parts = [
    ...(checkedByKind(checks) ?? [
      checked === pages ? `${plural(pages, "page")} checked` : `${number(checked)} of ${plural(pages, "page")} checked`,
      ...(failed > 0 ? [`${number(failed)} could not be checked`] : []),
    ]),
    ...reusedByKind(checks),
    ...(withoutPage > 0
      ? [`${withoutPage === 1 ? "1 address" : `${number(withoutPage)} addresses`} without a page`]
      : []),
    ...(left.length > 0 ? [`left out: ${left.join(", ")}`] : []),
  ];
  const verdict = coverage.complete ? "Complete" : `Incomplete (${gaps.map(({ code }) => code).join(", ")})`;
  return `${verdict}: ${parts.join("; ")}`;
}

/** How many results are those of an earlier report, because the pages had not changed. */
function reusedByKind(checks: Report["checks"]): string[] {
  return checkKinds.flatMap((kind) => {
    const reused = checks[kind]?.reused ?? 0;
    return reused > 0
      ? [`${number(reused)} unchanged, with the results of an earlier report (${manifestOf(kind).name})`]
      : [];
  });
}

/**
 * What was checked, by kind, where one kind has no result at all and another has all of its results: a page counts as checked
 * only when all kinds have one.
 */
function checkedByKind(checks: Report["checks"]): string[] | undefined {
  const kinds = checkKinds.flatMap((kind) => {
    const status = checks[kind]?.status;
    return status ? [{ name: manifestOf(kind).name, ...status }] : [];
  });
  const none = kinds.filter(({ checked, failed }) => checked === 0 && failed > 0);
  const whole = kinds.filter(({ checked, failed }) => checked > 0 && failed === 0);
  if (none.length === 0 || none.length + whole.length < kinds.length || whole.length === 0) return undefined;
  return [
    ...whole.map(({ name, checked }) => `${plural(checked, "page")} checked (${name})`),
    ...none.map(({ name, failed }) => `none of ${plural(failed, "page")} could be checked (${name})`),
  ];
}

function noticeText(notice: Covered["notices"][number], { terminal, place, reason, detail }: Layout): string[] {
  const { code, severity, message, examples, num_urls, more, advice } = notice;
  const indented = (text: string) => wrap(text, terminal, 2).map((line) => `  ${line}`);
  const said = (example: (typeof examples)[number]) => oneLine(reason(exampleText(example, place)));
  const [first = "", ...rest] = wrap(`${severity}  ${oneLine(message)}`, terminal, 0);
  const title = [
    styled(terminal, severity === "gap" ? "warning" : "info", severity) + first.slice(severity.length),
    ...rest,
  ];
  // Pages that failed are listed above. A note is only something to know, unless everything is asked for.
  const isShort =
    detail !== "all" && ((severity === "note" && maxExamples(code) === MAX_EXAMPLES) || code === "pages_failed");
  const shown = !isShort ? examples : code === "pages_failed" ? [] : examples.slice(0, 1);
  const others = num_urls - shown.length;
  return [
    ...title,
    ...shown.flatMap((example) => indented(said(example))),
    ...(shown.length > 0 && others > 0 ? [`  and ${more ? "at least " : ""}${number(others)} more`] : []),
    ...(isShort && severity === "note" ? [] : indented(inOptions(advice)).map((line) => styled(terminal, "dim", line))),
  ];
}

/** Every address that was left out, by reason. */
function addressList(addresses: readonly LeftOutAddress[], { terminal, place }: Layout): string[] {
  return [...Map.groupBy(addresses, ({ reason }) => reason)].flatMap(([reason, group]) => [
    styled(terminal, "bold", `Left out, ${leftOutTexts[reason as ExclusionReason].counted}: ${number(group.length)}`),
    ...group.map(({ url, linked_from }) => {
      const from = linked_from === null ? "" : ` (linked from ${oneLine(place(linked_from))})`;
      return `  ${oneLine(place(url))}${from}`;
    }),
    "",
  ]);
}
