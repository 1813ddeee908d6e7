import { manifestOf } from "../../../checks/kinds.ts";
import type { ExportedFinding } from "../../../domain/export/exported.ts";
import { type CheckKind, type Impact, impactOrder } from "../../../domain/findings/findings.ts";
import { type SuccessCriterion, successCriteriaOf } from "../../../domain/findings/success-criteria.ts";

export const severities = ["error", "warning", "outside"] as const;

/** `outside` of the report's standard: it counts neither as an error nor as a warning. */
export type Severity = (typeof severities)[number];

/** Findings of one rule, which are fixed in one way. */
export type RuleGroup = {
  kind: CheckKind;
  /** null where the engine names none. */
  rule: string | null;
  severity: Severity;
  /** The highest of its findings; null for HTML. */
  impact: Impact | null;
  helpUrl: string | null;
  criteria: SuccessCriterion[];
  howMany: number;
  numPages: number;
  /** Those on the most pages first. */
  components: ComponentGroup[];
};

/** Findings of one rule at the same element of several pages: a fault of a template. */
export type ComponentGroup = {
  message: string;
  /** The first page on which it was found, and its place there: a selector, or a line in the source. */
  url: string;
  target: string | null;
  line: number | null;
  column: number | null;
  html: string | null;
  howMany: number;
  numPages: number;
  /** The first pages that have it. */
  urls: string[];
};

/** How many pages of a component are kept; the others are only counted. */
const PAGES_KEPT = 3;
/** Characters kept of an element's markup, which is shown on one line. */
const MARKUP_KEPT = 300;
/** The rank of errors of kinds without an impact among the others: below the serious ones. */
const ORDER_WITHOUT_IMPACT = impactOrder("moderate") + 0.5;

type Counted<Group> = { group: Group; lastUrl: string | undefined };
type Growing = Counted<RuleGroup> & { components: Map<string, Counted<ComponentGroup>> };

/**
 * Groups findings by rule and by component, the worst first. Keeps only one finding of each component in memory.
 *
 * @param findings sorted by page
 */
export async function groupFindings(findings: AsyncIterable<ExportedFinding>): Promise<RuleGroup[]> {
  const rules = new Map<string, Growing>();
  for await (const finding of findings) {
    const severity = severityOf(finding);
    const key = `${finding.kind} ${finding.rule} ${severity}`;
    const rule = rules.get(key) ?? { group: emptyRule(finding, severity), lastUrl: undefined, components: new Map() };
    rules.set(key, rule);
    count(rule, finding);
    if ((impactOrder(finding.impact) ?? 0) > (impactOrder(rule.group.impact) ?? 0)) rule.group.impact = finding.impact;
    const component = rule.components.get(finding.component) ?? { group: emptyComponent(finding), lastUrl: undefined };
    rule.components.set(finding.component, component);
    if (count(component, finding) && component.group.urls.length < PAGES_KEPT)
      component.group.urls.push(finding.page_url);
  }
  return [...rules.values()]
    .map(({ group, components }) => ({
      ...group,
      components: [...components.values()].map((one) => one.group).sort(byReach),
    }))
    .sort(worstFirst);
}

function severityOf({ outside_standard, issue_type }: ExportedFinding): Severity {
  return outside_standard ? "outside" : issue_type;
}

function emptyRule({ kind, rule, impact, help_url, tags }: ExportedFinding, severity: Severity): RuleGroup {
  const criteria = manifestOf(kind).hasStandards ? successCriteriaOf(tags) : [];
  return { kind, rule, severity, impact, helpUrl: help_url, criteria, howMany: 0, numPages: 0, components: [] };
}

function emptyComponent({ message, page_url, target, line, column, html }: ExportedFinding): ComponentGroup {
  const markup = html === null ? null : html.slice(0, MARKUP_KEPT);
  return { message, url: page_url, target, line, column, html: markup, howMany: 0, numPages: 0, urls: [] };
}

/** @returns whether this is the first finding of its page */
function count(counted: Counted<{ howMany: number; numPages: number }>, finding: ExportedFinding): boolean {
  counted.group.howMany += finding.how_many;
  if (counted.lastUrl === finding.page_url) return false;
  counted.lastUrl = finding.page_url;
  counted.group.numPages++;
  return true;
}

function worstFirst(a: RuleGroup, b: RuleGroup): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    orderOf(b) - orderOf(a) ||
    byReach(a, b) ||
    ((a.rule ?? "") < (b.rule ?? "") ? -1 : 1)
  );
}

function byReach(a: { howMany: number; numPages: number }, b: { howMany: number; numPages: number }): number {
  return b.numPages - a.numPages || b.howMany - a.howMany;
}

function orderOf({ impact }: RuleGroup): number {
  return impactOrder(impact) ?? ORDER_WITHOUT_IMPACT;
}
