import { exclusionReasons } from "../../../domain/failure.ts";
import { findingStates } from "../../../domain/finding-state.ts";
import { checkKinds } from "../../../domain/findings.ts";
import { reportSpecSchema } from "../../../schema/report.ts";
import { reportStatusSchema } from "../../../schema/status.ts";
import { responseAttributes } from "../attributes.ts";
import {
  count,
  failure,
  guestToken,
  maybeTimestamp,
  members,
  numericId,
  orNull,
  type ResourceSchema,
  severity,
  timestamp,
  uuid,
} from "./parts.ts";

const fields = responseAttributes(reportSpecSchema.properties);
const { pages, checks, phase } = reportStatusSchema.properties;
const checkCounts = { ...checks, description: "Checks by state." };
const errors = { ...count, description: "Errors on all pages, without muted ones." };
const warnings = { ...count, description: "Warnings on all pages, without muted ones." };
const engine = members({ name: { type: "string" }, version: { type: "string" } });

const totals = members({ errors: count, warnings: count });
const states = members(
  Object.fromEntries(Object.entries(findingStates).map(([state, description]) => [state, { ...totals, description }])),
  { description: "How many affected elements are in each state, without muted ones." },
);

export const comparison: ResourceSchema = {
  description: "A report held against an earlier one, its base.",
  id: uuid,
  attributes: members({
    base_id: { ...uuid, type: ["string", "null"], description: "The base; null when there is none." },
    states: orNull(states),
  }),
  relationships: { always: ["report"], optional: ["base"] },
};

export const report: ResourceSchema = {
  description: "One validation of a site: its definition, progress and counters.",
  id: uuid,
  attributes: members(
    {
      ...fields,
      domain: { type: "string", description: "Host name of the starting URL." },
      num_pages: pages,
      phase,
      failure,
      checks: members({
        html: orNull(members({ status: checkCounts, issues: members({ errors, warnings }) })),
        a11y: orNull(members({ status: checkCounts, issues: members({ errors, warnings, severity }) })),
      }),
      engines: members(
        { html: engine, a11y: engine },
        { optional: checkKinds, description: "Name and version of each engine that ran." },
      ),
      comparison: orNull(
        members(
          { base_id: { ...uuid, description: "The report before it." }, states },
          { description: "null until the report has ended, and without a report before it." },
        ),
      ),
      inserted_at: timestamp("When the report was created."),
      updated_at: timestamp("When it last changed."),
      last_checked_at: maybeTimestamp("The end of the last check."),
      guest_token: guestToken,
    },
    // Readers of a shared report see neither.
    { optional: ["guest_token", "basic_auth_id"] },
  ),
  relationships: {
    always: ["web_pages", "common_html_issues", "common_a11y_issues", "mutings", "excluded_urls"],
    // Readers of a shared report get no links that they could not follow.
    optional: ["device", "schedule", "guest_account"],
  },
};

const checkStatus = { type: "string", enum: ["pending", "checking", "checked", "failed"] } as const;
const pageCheck = { status: checkStatus, errors: count, warnings: count, failure };

export const webPage: ResourceSchema = {
  description: "One page of a report.",
  id: numericId,
  attributes: members({
    url: { type: "string", description: "The page's URL." },
    linked_from: {
      type: ["string", "null"],
      description: "The page that links to it; null for a page where the crawl started.",
    },
    status: {
      ...checkStatus,
      description: "failed when one of its checks has failed, checked when all of them are checked.",
    },
    http_status: {
      type: ["integer", "null"],
      description: "The HTTP status that the page was received with; null before.",
    },
    html_check: orNull(members(pageCheck, { description: "null when HTML checks are off." })),
    a11y_check: orNull(members({ ...pageCheck, severity }, { description: "null when accessibility checks are off." })),
    inserted_at: timestamp("When the page was found."),
    updated_at: timestamp("When it last changed."),
    last_checked_at: maybeTimestamp("The end of its last check."),
  }),
  relationships: {
    always: ["report", "html_issues", "a11y_issues"],
    // Left out where nothing is stored.
    optional: ["raw_html_check", "raw_a11y_check", "screenshot"],
  },
};

export const excludedUrl: ResourceSchema = {
  description: "A URL that the Spider found and left out.",
  id: numericId,
  attributes: members({
    url: { type: "string" },
    linked_from: { type: ["string", "null"], description: "The page that it was found on." },
    reason: { type: "string", enum: exclusionReasons, description: "Why it was left out." },
    inserted_at: timestamp("When it was found."),
  }),
  relationships: { always: ["report"] },
};

export const rawCheck: ResourceSchema = {
  description: "An engine's unprocessed output for one page.",
  id: numericId,
  attributes: members({
    kind: { type: "string", enum: checkKinds },
    raw: {
      type: "object",
      description:
        "html: language, url, and messages, each with type, message, extract, lastLine, lastColumn, firstColumn, hiliteStart, hiliteLength and, for some, subType and firstLine. a11y: axe-core's results object with violations, incomplete and passes.",
    },
  }),
  relationships: { always: ["web_page"] },
};
