import type { Attributes, Resource } from "../../api/documents.ts";
import type { StateTotals } from "../../domain/findings/finding-state.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, PageRoute } from "../page.ts";
import { formatNumber, texts } from "../texts/en.ts";
import { badge } from "./text.ts";

/** Errors and warnings of all kinds of checks. */
export function totalsOf({ checks }: Pick<Attributes<"report">, "checks">): { errors: number; warnings: number } {
  const issues = Object.values(checks).map((check) => check?.issues);
  const sum = (key: "errors" | "warnings") => issues.reduce((total, counts) => total + (counts?.[key] ?? 0), 0);
  return { errors: sum("errors"), warnings: sum("warnings") };
}

/** The phase; for a complete report with a gate, whether it passed. */
export function verdict({ phase, passed }: Pick<Attributes<"report">, "phase" | "passed">): Html {
  if (!isEndPhase(phase)) return badge(texts.report.phase[phase], "busy");
  if (phase === "Failed") return badge(texts.report.phase.Failed, "bad");
  if (passed === null) return badge(texts.report.phase.Complete, "plain");
  return passed ? badge(texts.report.passed, "good") : badge(texts.report.notPassed, "bad");
}

/** The summary of a comparison, such as "12 new, 3 fixed". */
export function newAndFixed(states: StateTotals): Html {
  const sum = (state: "new" | "fixed") => states[state].errors + states[state].warnings;
  const part = (state: "new" | "fixed", kind: string) =>
    html`<span class=${sum(state) > 0 ? `amount ${kind}` : "amount"}>${formatNumber(sum(state))} ${texts.states[state]}</span>`;
  return html`${part("new", "error")}, ${part("fixed", "good")}`;
}

export type ReportTab = "summary" | "issues" | "changes" | "pages" | "failed";

/** The path of a report's pages, which differs for the public pages of a shared report. */
export function reportPath({ params, path }: Pick<PageContext, "params" | "path">, below = ""): string {
  const root = path.startsWith("/r/") ? "/r" : "/reports";
  return `${root}/${params.report_id}${below}`;
}

/**
 * A page of a report at both paths: below `/reports` for its owner and, while it is shared, for everybody who is signed
 * in; below `/r` for everybody, as seen without signing in.
 *
 * @param below the path below the report's
 */
export function reportRoutes(below: string, read: PageRoute["read"]): readonly PageRoute[] {
  return [
    { path: `/reports/:report_id${below}`, access: "shared", read },
    { path: `/r/:report_id${below}`, access: "public", read },
  ];
}

/** Whether the reader owns the report: the API tells only the owner which credentials it uses. */
export function isOwned({ reader, path }: Pick<PageContext, "reader" | "path">, report: Attributes<"report">): boolean {
  return reader !== null && path.startsWith("/reports/") && "basic_auth_id" in report;
}

/** The path of a finding's page. For a fixed or gone finding, it is below another report, the base. */
export function pagePathOf(
  { path }: Pick<PageContext, "path">,
  { relationships }: Pick<Resource<"finding" | "component">, "relationships">,
): string | undefined {
  const address = relationships.web_page.links.related;
  const [, report_id = "", page] = /\/reports\/([^/]+)\/web_pages\/([^/]+)$/.exec(address) ?? [];
  return page && reportPath({ path, params: { report_id } }, `/pages/${page}`);
}

/** The address of a report, and links to its parts. */
export function reportHead(context: PageContext, report: Attributes<"report">, current: ReportTab): Html {
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
