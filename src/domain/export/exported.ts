import type { Coverage } from "../coverage/coverage.ts";
import type { Box } from "../findings/box.ts";
import type { CausedBy, ElementFix } from "../findings/consequence.ts";
import type { Contrast } from "../findings/contrast.ts";
import type { FindingState } from "../findings/finding-state.ts";
import type { CheckKind, Engine, Impact } from "../findings/findings.ts";
import type { Role } from "../findings/role.ts";
import type { Guides } from "../guides/guides.ts";

/** A finding as exported: one row, line, result or part of a test case. */
export type ExportedFinding = {
  fingerprint: string;
  /** Shared by the findings of the same rule at the same element of several pages. */
  component: string;
  /** Shared by findings of several kinds about the same thing of one element. */
  fault: string;
  /** Shared by findings that one change in one place of source mends. */
  cause: string;
  kind: CheckKind;
  /** null if the engine names none, for example when a parser does not understand something. */
  rule: string | null;
  issue_type: "error" | "warning";
  /** Of a rule that is not of the report's standard: it counts neither as an error nor as a warning. */
  outside_standard: boolean;
  /** null for HTML. */
  impact: Impact | null;
  message: string;
  help_url: string | null;
  page_url: string;
  /** The element's CSS selector by axe-core, for accessibility; a frame's or shadow root's path is joined with " >>> ". */
  target: string | null;
  /** The element's names, ids and classes, without positions: what a muting's selector is compared with. */
  selector: string | null;
  /** Where the element is on the page, for accessibility; null if it cannot be seen. */
  box: Box | null;
  /** What was measured of a text's contrast; null for findings about anything else. */
  contrast: Contrast | null;
  /** Where in the source it is, for HTML; both 1-based. */
  line: number | null;
  column: number | null;
  /** The element's markup; null beyond the number of elements that are stored with an issue. */
  html: string | null;
  /** The number of indistinguishable elements. */
  how_many: number;
  /** The finding of the page that it only follows from; null for a fault of its own. */
  caused_by: CausedBy | null;
  /** A change that was tried in a copy of the page's source: then it and what follows from it are gone. null without one. */
  fix: ElementFix | null;
  /** null until the report has ended. */
  role: Role | null;
  /** null without a comparison. */
  state: FindingState | null;
  /** UTC, with the designator `Z`: whoever reads an export need not know the API. */
  first_seen_at: string;
  muted: boolean;
  /** What silences it; its reason is for people, and null if none is given or the reader may not see it. */
  muting: { id: string; reason: string | null } | null;
  tags: readonly string[];
};

/** A check of a page. */
export type ExportedCheck = {
  kind: CheckKind;
  status: "queued" | "leased" | "checked" | "failed";
  failure_code: string | null;
  failure_detail: string | null;
};

export type ExportedPage = {
  url: string;
  /** Of its document; null for one without, or that was not read. */
  title: string | null;
  checks: readonly ExportedCheck[];
  findings: readonly ExportedFinding[];
};

export type ExportedReport = {
  id: string;
  starting_url: string;
  /** When it was created. */
  inserted_at: Date;
  engines: Partial<Record<CheckKind, Engine>>;
  /** null until it has ended. */
  coverage: Coverage | null;
  /** Whether its gate requires that nothing is left out. */
  requiresComplete: boolean;
};

/** What an export is made of. */
export type Exported = {
  report: ExportedReport;
  /** The kinds of check whose findings are asked for. */
  kinds: readonly CheckKind[];
  /** Reads the guides to the rules, for a format that has them in it. */
  guides: () => Promise<Pick<Guides, "find">>;
  /** The address of a guide by its name; null where no guides are served. */
  guideUrl: (kind: CheckKind, name: string) => string | null;
  /** All pages, with the findings of one of these kinds, or of all. */
  pages: (kind?: CheckKind) => AsyncIterable<ExportedPage>;
};

/** The report was deleted, or compared again, while it was read: what was read belongs to no single state. */
export class ReportChangedError extends Error {
  constructor() {
    super("The report was deleted, or compared again, while it was read.");
    this.name = "ReportChangedError";
  }
}

/** A format of exports. Its text comes in pieces, none larger than one page needs. */
export type ExportFormat = {
  title: string;
  description: string;
  /** What menus call it, if not the name in its address. */
  label?: string;
  /** How the name of its file ends, if not as its address. */
  extension?: string;
  mediaType: string;
  write: (exported: Exported) => AsyncIterable<string>;
};
