import type { Attributes, One, Resource } from "../../api/documents.ts";
import { type SinceEnd, sinceEnd, stateSinceEnd } from "../../domain/findings/since-end.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute } from "../page.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { type Icon, icon } from "./icon.ts";
import { amount } from "./text.ts";

type Checks = Pick<Attributes<"report">, "checks">;
type Counted = Checks & Pick<Attributes<"report">, "at_end">;

/** Errors and warnings of all kinds of checks. */
export function totalsOf({ checks }: Checks): { errors: number; warnings: number } {
  return sumOf(Object.values(checks).map((check) => check?.issues));
}

/** What would be errors and warnings if it were not muted. */
export function mutedOf({ checks }: Checks): { errors: number; warnings: number } {
  return sumOf(Object.values(checks).map((check) => check?.issues.muted));
}

/** The sums of these counts. */
export function sumOf(counts: readonly ({ errors: number; warnings: number } | null | undefined)[]) {
  const sum = (key: "errors" | "warnings") => counts.reduce((total, one) => total + (one?.[key] ?? 0), 0);
  return { errors: sum("errors"), warnings: sum("warnings") };
}

/** Only a run that is complete has a result, if something could be checked: one that is under way has counted a part. */
export function hasResult({ phase, checks }: Checks & Pick<Attributes<"report">, "phase">): boolean {
  return phase === "Complete" && Object.values(checks).some((check) => check !== null && check.status.checked > 0);
}

/** The result is of the whole site: trends leave out what was cut short or cancelled. */
export function isWhole(report: Attributes<"report">): boolean {
  return hasResult(report) && report.failure === null && !report.cancelled;
}

/** Errors and warnings when the run ended, which later mutings do not lower; those of today if it has not ended. */
export function totalsAtEnd(report: Counted): { errors: number; warnings: number } {
  return report.at_end ? sumOf(Object.values(report.at_end.checks)) : totalsOf(report);
}

/** How many errors, or warnings, a run has; and how many it had when it ended, if that differs. Nothing of one without a result. */
export function countedSinceEnd(
  report: Counted & Pick<Attributes<"report">, "phase">,
  key: "errors" | "warnings",
): Html {
  if (!hasResult(report)) return "–";
  const end = report.at_end && Object.values(report.at_end.checks);
  const now = { now: totalsOf(report)[key], muted: mutedOf(report)[key] };
  const then = end ? { now: sumOf(end)[key], muted: sumOf(end.map((check) => check?.muted))[key] } : undefined;
  return html`${amount(now.now, key === "errors" ? "error" : "warning")}${change(sinceEnd(now, then))}`;
}

function change({ atEnd, now, mutedSince }: SinceEnd): Html {
  return atEnd === now && mutedSince === 0
    ? null
    : html` <span class="quiet">${texts.count.ended(atEnd, mutedSince)}</span>`;
}

type Outcome = Checks & Pick<Attributes<"report">, "phase" | "passed">;

/** How a run ended, by name. */
export type Ending = "passed" | "notPassed" | "noLimits" | "withoutResult" | "notChecked" | "checking";

export function endingOf(report: Outcome): Ending {
  const { phase, passed } = report;
  if (!isEndPhase(phase)) return "checking";
  if (phase === "Failed") return "notChecked";
  if (passed === null) return hasResult(report) ? "noLimits" : "withoutResult";
  return passed ? "passed" : "notPassed";
}

const endingIcons = {
  passed: "passed",
  notPassed: "failed",
  noLimits: "ended",
  withoutResult: "alert",
  notChecked: "alert",
  checking: "running",
} as const satisfies Record<Ending, Icon>;

/** How a run of the whole site ended. */
export function verdictOfWhole({ passed }: { passed: boolean | null }): Html {
  const ending = passed === null ? "noLimits" : passed ? "passed" : "notPassed";
  return html`${icon(endingIcons[ending])} ${texts.report.endings[ending]}`;
}

export function endingIcon(report: Outcome): Html {
  return icon(endingIcons[endingOf(report)]);
}

/** How a run ended, or what it does: a shape and words. */
export function verdict(report: Outcome): Html {
  const ending = endingOf(report);
  if (ending === "checking")
    return html`<span class="busy">${endingIcon(report)} ${texts.report.phase[report.phase]}</span>`;
  return html`${endingIcon(report)} ${texts.report.endings[ending]}`;
}

type Covered = { coverage: { complete: boolean } | null };

/** That a result has gaps, where a list has no room for what it covers. */
export function gaps(report: Outcome & Covered): Html {
  return (
    hasResult(report) && report.coverage?.complete === false && html` (${texts.coverage.incomplete.toLowerCase()})`
  );
}

/** The verdict in a list. */
export function verdictOf(report: Outcome & Covered): Html {
  return html`${verdict(report)}<span class="quiet">${gaps(report)}</span>`;
}

type Compared = Pick<Attributes<"report">, "comparison" | "at_end">;

/** How many errors are new and fixed, such as "12 new, 3 fixed", as the run ended with them; and what is muted of them now. */
export function newAndFixed({ comparison, at_end }: Compared): Html {
  const end = at_end?.comparison ?? null;
  const compared = comparison ?? end;
  if (!compared) return "–";
  const part = (state: "new" | "fixed", kind: string) => {
    const { atEnd, now, mutedSince } = stateSinceEnd(state, compared, end);
    const more = texts.count.since(mutedSince, now === atEnd - mutedSince ? undefined : now);
    return html`<span class=${atEnd > 0 ? `amount ${kind}` : "amount"}>${formatNumber(atEnd)} ${texts.states[state]}</span>${more && html` <span class="quiet">(${more})</span>`}`;
  };
  return html`${part("new", "error")}, ${part("fixed", "good")}`;
}

/** Whether an address is shown to people by somebody else, who has not published it: no search engine may list it. */
export function isForOthers(path: string): boolean {
  return /^\/(?:r|shared)(?:\/|$)/.test(path);
}

/** The path of a report's pages, which differs for the public pages of a shared report. */
export function reportPath({ params, path }: Pick<PageContext, "params" | "path">, below = ""): string {
  if (path.startsWith("/shared/")) return `/shared/${params.share_secret}${below}`;
  const root = path.startsWith("/r/") ? "/r" : "/reports";
  return `${root}/${params.report_id}${below}`;
}

/**
 * A page of a report at both paths: below `/reports` for its owner and, while it is shared, for everybody who is signed
 * in; below `/r` for everybody, as seen without signing in; and below a share link.
 *
 * @param below the path below the report's
 */
export function reportRoutes(below: string, read: PageRoute["read"]): readonly PageRoute[] {
  return [
    { path: `/reports/:report_id${below}`, access: "shared", read },
    { path: `/r/:report_id${below}`, access: "public", read },
    // The link itself may open something else.
    ...(below === "" ? [] : [ofLink(below, read)]),
  ];
}

function ofLink(below: string, read: PageRoute["read"]): PageRoute {
  const path = `/shared/:share_secret${below}`;
  return { path, access: "public", read: async (context) => read(await withSharedReport(context)) };
}

/** The same for the report that the link in the address opens. @throws RequestError 404 */
export async function withSharedReport(context: PageContext): Promise<PageContext> {
  const { data } = await context.api.get<One<"shared">>(`/shared/${context.params.share_secret}`);
  const { report_id, expires_at } = data.attributes;
  return { ...context, params: { ...context.params, report_id: report_id ?? "" }, sharedUntil: expires_at };
}

/** Whether the reader owns the report: the API tells only the owner which credentials it uses. */
export function isOwned({ reader, path }: Pick<PageContext, "reader" | "path">, report: Attributes<"report">): boolean {
  return reader !== null && path.startsWith("/reports/") && "basic_auth_id" in report;
}

/** The path of a finding's page. For a fixed or gone finding, it is below another report, the base. */
export function pagePathOf(
  { path, params }: Pick<PageContext, "path" | "params">,
  { relationships }: Pick<Resource<"finding" | "component">, "relationships">,
): string | undefined {
  const address = relationships.web_page.links.related;
  const [, report_id = "", page] = /\/reports\/([^/]+)\/web_pages\/([^/]+)$/.exec(address) ?? [];
  // A share link opens its report, and not the base.
  if (path.startsWith("/shared/") && report_id !== params.report_id) return undefined;
  return page && reportPath({ path, params: { ...params, report_id } }, `/pages/${page}`);
}
