import { checkKinds } from "../../../checks/kinds.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { criterionStates } from "../../../domain/findings/judged-criteria.ts";
import { roles } from "../../../domain/findings/role.ts";
import { monthFileStates } from "../../../domain/months/month-file.ts";
import { MAX_WORST, YEAR } from "../../../domain/months/month-report.ts";
import { siteSchema } from "../../request-attributes.ts";
import {
  count,
  each,
  maybeTimestamp,
  members,
  namesIn,
  orNull,
  type ResourceSchema,
  timestamp,
  uuid,
} from "./parts.ts";

/** As many rules are listed that changed, and as many sites. */
export const MAX_RULES = 5;
export const MAX_SITES = 500;

const month = { type: "string", pattern: "^[0-9]{4}-[0-9]{2}$", description: "In UTC." } as const;
const maybeMonth = (description: string) =>
  ({ type: ["string", "null"], pattern: "^[0-9]{4}-[0-9]{2}$", description }) as const;
const rate = { type: "number", minimum: 0, description: "Errors by checked pages." } as const;
const siteId = { type: "string", pattern: "^[0-9a-f]{32}$", description: "The site's." } as const;
const counted = {
  errors: { ...count, description: "Errors, without what is muted now." },
  pages: { ...count, description: "Checked pages." },
  errors_per_page: rate,
} as const;
const totals = {
  sites: { ...count, description: "Sites with a result: the last run of each counts." },
  ...counted,
} as const;
const withCritical = {
  ...totals,
  critical: { ...count, description: "Errors and warnings of the impact critical." },
} as const;

const rule = members({
  kind: { type: "string", enum: checkKinds },
  rule: {
    type: ["string", "null"],
    description: "The engine's name for it; null for errors of deleted reports, of which only the kind is known.",
  },
  title: { type: ["string", "null"], description: "What it is called; null without a rule." },
  impact: { type: ["string", "null"], enum: [...impacts, null], description: "null for rules about HTML only." },
  errors: { ...count, description: "How many fewer, or more, on all of these sites together." },
  sites: {
    type: "array",
    items: { type: "string" },
    maxItems: 2,
    description: "The names, or addresses, of those where it changed the most.",
  },
  num_sites: { ...count, description: "On how many sites it changed so." },
});
const changed = (what: string) =>
  members(
    {
      errors: { ...count, description: "Of all rules." },
      num_rules: { ...count, description: "How many rules changed so on a site." },
      rules: { type: "array", items: rule, maxItems: MAX_RULES, description: "The ones that changed the most." },
    },
    { description: `By how much each rule has ${what} errors on each site than in the month before, added up.` },
  );

const run = {
  report_id: uuid,
  has_report: {
    type: "boolean",
    description: "false: the report is deleted, and its numbers are those that it had then.",
  },
  ended_at: timestamp("When it ended first."),
  ...counted,
} as const;

const site = members({
  site_id: siteId,
  starting_url: { type: "string" },
  name: siteSchema.properties.name,
  owner: siteSchema.properties.owner,
  tags: siteSchema.properties.tags,
  scheduled: { type: "boolean", description: "A schedule checks it." },
  num_runs: { ...count, description: "Its runs with a result in the month." },
  now: orNull(
    members(
      {
        ...run,
        critical: withCritical.critical,
        pages_left: { ...count, description: "Pages that are known, and were not checked." },
        passed: { type: ["boolean", "null"], description: "Whether it met its limits; null without any." },
        passed_now: { type: ["boolean", "null"], description: "The same with what is muted now." },
      },
      { description: "Its last run in the month with the results of the whole site; null without one." },
    ),
  ),
  turn: {
    type: "string",
    enum: ["better", "worse", "as_before", "not_compared"],
    description:
      "Errors per page beside the last run of the month before, both with one digit; `not_compared` without one, or with other settings.",
  },
  before: orNull(members(run, { description: "Its last run in the month before; null without one." })),
  last_known: orNull(members(run, { description: "Its last run with a result before the month." })),
  without_result: orNull(
    members(
      {
        report_id: uuid,
        ended_at: timestamp("When it ended."),
        failure_code: { type: ["string", "null"], description: "Why it has no result, where that is known." },
      },
      { description: "Its newest run of the month, if that has no result." },
    ),
  ),
  weeks: {
    type: "array",
    items: members({
      weeks_ago: { ...count, description: "0 is the last week of the month." },
      errors_per_page: rate,
    }),
    maxItems: 12,
    description: "The last run of each week, the oldest first, without weeks that have none.",
  },
});

export const monthReport = {
  description: "What an account's sites were in a month, beside the month before, without what is muted now.",
  id: month,
  attributes: members({
    ended: { type: "boolean", description: "false: the month still runs, and this is its beginning." },
    previous: maybeMonth("The month before, unless no site had a report by then."),
    next: maybeMonth("The next one, if it has begun."),
    num_sites: { ...count, description: "Sites that had a report by the end of the month." },
    num_runs: { ...count, description: "Runs that ended in it with the results of their whole site." },
    totals: members(withCritical, { description: "The last run of each site in the month." }),
    before: members(withCritical, { description: "The same of the month before." }),
    limits: members(
      {
        met: { ...count, description: "Sites whose last run met all of its limits." },
        not_met: { ...count, description: "Those whose last run did not." },
        none: { ...count, description: "Those without limits." },
        unknown: { ...count, description: "Those whose report is deleted." },
      },
      { description: "The sites with a result." },
    ),
    num_not_checked: { ...count, description: "Sites without a result in the month." },
    num_in_part: { ...count, description: "Sites with a result that does not cover all known pages." },
    turns: members(
      each(["better", "worse", "as_before", "not_compared"], () => count),
      { description: "How many sites turned how." },
    ),
    away: changed("fewer"),
    came: changed("more"),
    not_compared: members(
      { before: count, now: count },
      {
        description:
          "Errors of sites that are in one of the months only, or whose settings changed. Those of the month before, less away and not_compared.before, with came and not_compared.now, are those of the month.",
      },
    ),
    roles: members(
      {
        ...each(namesIn(roles), (role) => ({ ...count, description: roles[role] })),
        unknown_sites: { ...count, description: "Sites of which that is not known, as of deleted reports." },
      },
      { description: "Who can mend the errors of the month." },
    ),
    worst: {
      type: "array",
      maxItems: MAX_WORST,
      description: "Sites that got worse, are above their limits, or have the most errors on a page.",
      items: members({
        site_id: siteId,
        why: { type: "string", enum: ["got_worse", "limit", "most"] },
        cause: orNull(
          members(
            {
              id: { type: "string" },
              title: { type: "string" },
              impact: { type: ["string", "null"], enum: [...impacts, null] },
              role: { type: "string", enum: namesIn(roles) },
              how_many: { ...count, description: "The errors that go with it." },
              num_pages: count,
              num_places: { ...count, description: "Places in source that have to be changed." },
              assignee: { type: ["string", "null"], description: "Who mends it; null when nobody has said so." },
            },
            { description: "The one change that removes the most errors." },
          ),
        ),
      }),
    },
    sites: {
      type: "array",
      items: site,
      maxItems: MAX_SITES,
      description: `All of them, those with the most errors on a page first, those without a result last; at most ${MAX_SITES}.`,
    },
    criteria: {
      type: "array",
      description: "What the last runs say of the success criteria of WCAG 2.2, levels A and AA.",
      items: members({
        number: { type: "string" },
        title: { type: "string" },
        state: { type: "string", enum: namesIn(criterionStates) },
        sites: { ...count, description: "Sites on which it fails." },
        errors: { ...count, description: "Errors that are about it; one may be about several." },
      }),
    },
    months: {
      type: "array",
      maxItems: YEAR,
      items: members({ month, ...totals }),
      description: "The months up to this one in which something was checked, the oldest first.",
    },
    engines: { type: "array", items: { type: "string" }, description: "What has checked, with versions." },
  }),
  relationships: { always: ["sites"] },
} as const satisfies ResourceSchema;

export const monthFile = {
  description: "The PDF of a month, which is made by a Job and kept for some days.",
  id: month,
  attributes: members({
    state: {
      type: "string",
      enum: monthFileStates,
      description: "Whether it waits, is being made, is there, or could not be made.",
    },
    failure: { type: ["string", "null"], description: "Why it could not be made; null otherwise." },
    bytes: { type: ["integer", "null"], minimum: 0, description: "Its size; null before it is there." },
    asked_at: timestamp("When it was asked for: its numbers are those of that time."),
    ended_at: maybeTimestamp("When it was made, or could not be made; null before that."),
  }),
  relationships: { always: ["month"], optional: ["pdf"] },
} as const satisfies ResourceSchema;
