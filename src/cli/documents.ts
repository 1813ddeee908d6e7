import type { Impact } from "../domain/findings.ts";

/** The API's documents as far as `check` reads them. */
export type OneDocument<Resource> = { data: Resource; jsonapi: unknown };
export type ListDocument<Resource> = {
  data: Resource[];
  links: { next: string | null };
  meta: { total: number };
};
export type ErrorDocument = { errors?: { detail?: string; title?: string; source?: { pointer?: string } }[] };

type CheckCounts = {
  status: { pending: number; checked: number; failed: number };
  issues: { errors: number; warnings: number };
};

export type Failure = { code: string; detail: string };

export type ReportResource = { id: string; attributes: Report };
export type Report = {
  starting_url: string;
  max_pages: number;
  num_pages: number;
  phase: "Pending" | "Crawling" | "Checking" | "Complete" | "Failed";
  /** Why the report as a whole failed. */
  failure: Failure | null;
  checks: { html: CheckCounts | null; a11y: CheckCounts | null };
};

export type CommonHtmlIssue = {
  id: string;
  type: "common_html_issue";
  attributes: { issue_type: "error" | "warning"; message: string; how_many: number };
};
export type CommonA11yIssue = {
  id: string;
  type: "common_a11y_issue";
  attributes: { help: string; help_url: string; impact: Impact; review: boolean; how_many: number };
};
/** A kind of issue of a report. */
export type CommonIssue = CommonHtmlIssue | CommonA11yIssue;

type PageCheck = { status: string; failure?: Failure | null } | null;
export type WebPage = { id: string; attributes: { url: string; html_check: PageCheck; a11y_check: PageCheck } };

export type Device = { id: string; attributes: { name: string } };

/** What `check --json` prints when it could not run: whoever reads stdout gets a document whatever happens. */
export function errorDocument(message: string): string {
  const errors = message.split("\n").map((detail) => ({ code: "could_not_run", title: "Could not run", detail }));
  return `${JSON.stringify({ errors, jsonapi: { version: "1.0" } }, null, 2)}\n`;
}
