import type { Box } from "../findings/box.ts";
import type { CausedBy, ElementFix } from "../findings/consequence.ts";
import type { Contrast } from "../findings/contrast.ts";
import type { FindingState } from "../findings/finding-state.ts";
import { type CheckKind, impactOf } from "../findings/findings.ts";
import { markupOf } from "../findings/markup.ts";
import type { Role } from "../findings/role.ts";
import type { ExportedFinding } from "./exported.ts";

/** An issue with those of its findings that are exported: one for each state that its elements are in. */
export type ExportedIssue = {
  web_page_id: string;
  kind: CheckKind;
  url: string;
  message: string;
  help_url: string | null;
  tags: string[];
  html: StoredElement[];
  findings: FoundRow[];
};

type StoredElement = {
  fingerprint: string;
  selector?: string;
  extract: string;
  target?: string;
  box?: Box | null;
  contrast?: Contrast | null;
  caused_by?: CausedBy | null;
  fix?: ElementFix | null;
  coordinates?: { first_line: number; first_column: number | null; hilite_start: number; hilite_length: number };
};

type FoundRow = {
  fingerprint: string;
  component: string;
  fault: string;
  cause: string;
  selector: string | null;
  rule: string;
  issue_type: "error" | "warning";
  outside_standard: boolean;
  impact_order: number | null;
  how_many: number;
  state: FindingState | null;
  role: Role | null;
  muting: ExportedFinding["muting"];
  /** Seconds since 1970. */
  first_seen_at: number;
};

/** The findings of an issue, each with the first of its elements. */
export function exportedFindings(issue: ExportedIssue): ExportedFinding[] {
  // Findings of one issue may share a fingerprint and differ in their selectors, by which they can be muted.
  const keyOf = (one: { fingerprint: string; selector?: string | null }) => `${one.fingerprint} ${one.selector ?? ""}`;
  const elements = new Map<string, StoredElement>();
  for (const element of issue.html) if (!elements.has(keyOf(element))) elements.set(keyOf(element), element);
  return issue.findings.map(({ first_seen_at, impact_order, ...found }) => {
    const element = elements.get(keyOf(found));
    return {
      fingerprint: found.fingerprint,
      component: found.component,
      fault: found.fault,
      cause: found.cause,
      kind: issue.kind,
      rule: found.rule === "" ? null : found.rule,
      issue_type: found.issue_type,
      outside_standard: found.outside_standard,
      impact: impactOf(impact_order),
      message: issue.message,
      help_url: issue.help_url,
      page_url: issue.url,
      target: element?.target ?? null,
      box: element?.box ?? null,
      contrast: element?.contrast ?? null,
      selector: found.selector,
      line: element?.coordinates?.first_line ?? null,
      column: element?.coordinates?.first_column ?? null,
      html: element ? markupOf(element) : null,
      how_many: found.how_many,
      caused_by: element?.caused_by ?? null,
      fix: element?.fix ?? null,
      role: found.role,
      state: found.state,
      first_seen_at: `${new Date(first_seen_at * 1_000).toISOString().slice(0, 19)}Z`,
      muted: found.muting !== null,
      muting: found.muting,
      tags: issue.tags,
    };
  });
}
