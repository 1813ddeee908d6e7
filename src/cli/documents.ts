import type { StateTotals } from "../domain/findings/finding-state.ts";
import type { GateResult } from "../domain/findings/gate.ts";
import type { ReportStandard } from "../schema/standards.ts";
import type { ReportPhase } from "../schema/status.ts";
import { visibleJson } from "./visible-json.ts";

/** The fields of the API's documents that `check` reads. */
export type OneDocument<Resource> = { data: Resource; jsonapi: unknown };
export type ListDocument<Resource> = {
  data: Resource[];
  links: { next: string | null };
};
export type ErrorDocument = { errors?: { detail?: string; title?: string; source?: { pointer?: string } }[] };

type CheckCounts = {
  status: { pending: number; checked: number; failed: number };
  /** `outside_standard` of accessibility checks. */
  issues: { errors: number; warnings: number; outside_standard?: number };
};

export type Failure = { code: string; detail: string };

export type ReportResource = { id: string; type: string; attributes: Report };
export type Report = {
  starting_url: string;
  standard: ReportStandard;
  max_pages: number;
  num_pages: number;
  phase: ReportPhase;
  /** Why the report as a whole failed. */
  failure: Failure | null;
  checks: { html: CheckCounts | null; a11y: CheckCounts | null };
  /** How it compares with its base; null without one. */
  comparison: { states: StateTotals } | null;
  /** null before the end, and without a gate. */
  passed: boolean | null;
  gate_results: GateResult[] | null;
};

type PageCheck = { status: string; failure?: Failure | null } | null;
export type WebPage = {
  id: string;
  attributes: { url: string; linked_from: string | null; html_check: PageCheck; a11y_check: PageCheck };
};

export type FindingResource = {
  id: string;
  attributes: { rule: string | null; url: string; element: { extract: string } | null; how_many: number };
};

export type Device = { id: string; attributes: { name: string } };

/** The document that `check --json` prints to stdout when it could not run. */
export function errorDocument(message: string): string {
  const errors = message.split("\n").map((detail) => ({ code: "could_not_run", title: "Could not run", detail }));
  return `${visibleJson({ errors, jsonapi: { version: "1.0" } }, 2)}\n`;
}
