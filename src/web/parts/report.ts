import type { StateTotals } from "../../domain/finding-state.ts";
import type { Phase, Report, ReportSummary } from "../documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { badge } from "./text.ts";

/** Errors and warnings of both kinds of checks. */
export function totalsOf({ checks }: Pick<ReportSummary, "checks">): { errors: number; warnings: number } {
  const issues = [checks.html?.issues, checks.a11y?.issues];
  const sum = (key: "errors" | "warnings") => issues.reduce((total, counts) => total + (counts?.[key] ?? 0), 0);
  return { errors: sum("errors"), warnings: sum("warnings") };
}

export function hasEnded(phase: Phase): boolean {
  return phase === "Complete" || phase === "Failed";
}

/** The phase, or whether the gate is passed. */
export function verdict({ phase, passed }: Pick<ReportSummary, "phase" | "passed">): Html {
  if (!hasEnded(phase)) return badge(texts.report.phase[phase], "busy");
  if (phase === "Failed") return badge(texts.report.phase.Failed, "bad");
  if (passed === null) return badge(texts.report.phase.Complete, "plain");
  return passed ? badge(texts.report.passed, "good") : badge(texts.report.notPassed, "bad");
}

/** "12 new, 3 fixed": what counts of a comparison at a look. */
export function newAndFixed(states: StateTotals): Html {
  const sum = (state: "new" | "fixed") => states[state].errors + states[state].warnings;
  const part = (state: "new" | "fixed", kind: string) =>
    html`<span class=${sum(state) > 0 ? `amount ${kind}` : "amount"}>${formatNumber(sum(state))} ${texts.states[state]}</span>`;
  return html`${part("new", "error")}, ${part("fixed", "good")}`;
}

export type ReportTab = "summary" | "issues" | "changes" | "pages" | "failed";

/** Where a report's pages are: those of a shared report, for everybody, have another place. */
export function reportPath({ params, path }: Pick<PageContext, "params" | "path">, below = ""): string {
  const root = path.startsWith("/r/") ? "/r" : "/reports";
  return `${root}/${params.report_id}${below}`;
}

/** The address of a report, and links to its parts. */
export function reportHead(context: PageContext, report: Report, current: ReportTab): Html {
  const { tabs } = texts.report;
  const below: Record<ReportTab, string> = {
    summary: "",
    issues: "/issues",
    changes: "/changes",
    pages: "/pages",
    failed: "/failed",
  };
  return html`<nav class="tabs" aria-label=${report.starting_url}>
    <ul>
      ${(Object.keys(tabs) as ReportTab[]).map(
        (tab) =>
          html`<li>
            <a href=${context.href(reportPath(context, below[tab]))} aria-current=${tab === current ? "page" : undefined}>${tabs[tab]}</a>
          </li>`,
      )}
    </ul>
  </nav>`;
}
