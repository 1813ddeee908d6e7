import { createHash } from "node:crypto";
import type { DecodedDocument } from "html-conformance/documents";
import type { Kysely } from "kysely";
import { findReusable, hasReusable } from "../database/checks/reusable-outcomes.ts";
import type { Database } from "../database/tables.ts";
import type { CheckKind, CheckOutcome } from "../domain/findings/findings.ts";
import { mutableReportFields, type ReportSpec } from "../schema/report.ts";
import type { CheckContext } from "../transactions/end-checks.ts";

/** What is known of a page that looks like this: its outcome, and how that is stored, if a report of the site has checked it. */
export type Known = { key: Buffer; found: { stored: Buffer; outcome: CheckOutcome } | undefined };

/** Finds what was found on a page that has not changed. */
export type Reuse = (page: { url: string; document: DecodedDocument }) => Promise<Known>;

/**
 * The outcome of a check of a page's source depends on nothing but the source, the page's address, the report's settings
 * and the code that checks. A page of which all these are as they were is not checked again: its outcome is that of the
 * report before (docs/adr/0179).
 *
 * @param code what identifies the code and the version of the engine
 */
export function createReuse(
  db: Kysely<Database>,
  { reportId, kind, spec }: CheckContext,
  code: Promise<string>,
): Reuse {
  // Without an earlier report, each question costs a page that is checked the first time as much as its answer.
  let any: Promise<boolean> | undefined;
  return async ({ url, document }) => {
    const key = reuseKey({ kind, url, document, spec, code: await code });
    any ??= hasReusable(db, reportId);
    return { key, found: (await any) ? await findReusable(db, reportId, key) : undefined };
  };
}

type Made = { kind: CheckKind; url: string; document: DecodedDocument; spec: ReportSpec; code: string };

/** A digest of all that a check's outcome depends on. */
export function reuseKey({ kind, url, document, spec, code }: Made): Buffer {
  const settings = Object.entries(spec)
    .filter(([name]) => !(mutableReportFields as readonly string[]).includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const { source, ...received } = document;
  return createHash("sha256")
    .update(JSON.stringify([code, kind, settings, url, Object.entries(received).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .update("\0")
    .update(source)
    .digest();
}
