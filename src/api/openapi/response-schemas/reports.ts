import { type CheckKind, checkKinds, manifestOf, type Noun, namedByKind, nounOf } from "../../../checks/kinds.ts";
import { MOST_EXAMPLES, noticeTexts, type Severity } from "../../../domain/coverage/notices.ts";
import { exclusionReasons } from "../../../domain/failure.ts";
import { comparisonFailures } from "../../../domain/findings/comparison-failure.ts";
import { findingStates } from "../../../domain/findings/finding-state.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { gateConditions, gateReasons } from "../../../domain/findings/gate.ts";
import { criterionStates } from "../../../domain/findings/judged-criteria.ts";
import { roles } from "../../../domain/findings/role.ts";
import { viewsFormats } from "../../../domain/page-views/read-file.ts";
import { MAX_PAGES_KEPT } from "../../../domain/scope/linked-pages.ts";
import { lossLevels } from "../../../domain/score.ts";
import { reportSpecSchema } from "../../../schema/report.ts";
import { reportStatusSchema } from "../../../schema/status.ts";
import { siteSchema } from "../../request-attributes.ts";
import { responseAttributes } from "../attributes.ts";
import { assignment } from "./assignments.ts";
import { roleCounts } from "./comparison-parts.ts";
import { counted } from "./counts.ts";
import { url } from "./envelope.ts";
import {
  count,
  each,
  failure,
  guestToken,
  maybeTimestamp,
  members,
  milliseconds,
  namesIn,
  numericId,
  orNull,
  type ResourceSchema,
  timestamp,
  uuid,
} from "./parts.ts";
import { title } from "./rules.ts";
import { standardAttributes } from "./standards.ts";

const fields = responseAttributes(reportSpecSchema.properties);
const { pages, checks, phase } = reportStatusSchema.properties;
const checkCounts = { ...checks, description: "Checks by state." };
const reused = {
  ...count,
  description:
    "Those of the checked ones whose result is that of an earlier report of the site: the page, the settings and the program had not changed. They cost no credit.",
} as const;
const errors = { ...count, description: "Errors on all pages, without muted ones." };
const warnings = { ...count, description: "Warnings on all pages, without muted ones." };
const engine = members({ name: { type: "string" }, version: { type: "string" } });

const totals = members({ errors: count, warnings: count });
const muted = { ...totals, description: "What would be errors and warnings if it were not muted." } as const;
const statesOf = <const Description extends string>(description: Description) =>
  members(
    each(namesIn(findingStates), (state) => ({ ...totals, description: findingStates[state] })),
    { description },
  );
const states = statesOf("How many affected elements are in each state, without muted ones.");
const mutedStates = statesOf("How many of the muted ones are in each state.");
const differs = {
  type: "array",
  items: { type: "string" },
  description:
    "The attributes that decide what is visited, found and counted, and that are not the same in both: where there are some, the two are not alike.",
} as const;

const settingText = (whose: string) =>
  ({
    type: ["string", "null"],
    description: `The value in ${whose} as JSON; null for who does not own both reports, and for what is never shown.`,
  }) as const;

export const comparison = {
  description: "A report compared with an earlier one, its base.",
  id: uuid,
  attributes: members({
    base_id: { ...uuid, type: ["string", "null"], description: "The base; null when there is none." },
    status: {
      type: "string",
      enum: ["complete", "queued", "running", "failed", "none"],
      description:
        "complete: states has the result. queued, running: it is being made. failed: failure says why; it is made again when somebody asks ten minutes later. none: there is no base, one of the two has not ended, or it is of another account and not compared.",
    },
    percent: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: 100,
      description: "How much of it is done; null when it is neither complete nor being made.",
    },
    differs,
    changes: orNull(
      members(
        {
          settings: {
            type: "array",
            items: members({ name: { type: "string" }, from: settingText("the base"), to: settingText("the report") }),
            description: "The attributes in differs, with their values.",
          },
          engines: {
            type: "array",
            items: members({
              kind: { type: "string", enum: checkKinds },
              from: { type: ["string", "null"], description: "Of the base, with its version; null if none ran." },
              to: { type: ["string", "null"], description: "The same of the report." },
            }),
            description: "The engines that are not the same in both.",
          },
          pages: members({
            from: { ...count, description: "Pages of the base." },
            to: { ...count, description: "Pages of the report." },
            failed_from: {
              ...count,
              type: ["integer", "null"],
              description: "Of the base, those with a check that failed.",
            },
            failed_to: { ...count, type: ["integer", "null"], description: "The same of the report." },
            added: { ...count, description: "Pages that only the report has; 0 until the two are compared." },
            added_urls: { type: "array", items: { type: "string" }, description: "The first ten of them." },
            removed: { ...count, description: "Pages that only the base has; 0 until the two are compared." },
            removed_urls: { type: "array", items: { type: "string" }, description: "The first ten of them." },
          }),
        },
        { description: "What else is not the same in both; null without a base." },
      ),
    ),
    states: orNull(states),
    muted: orNull(mutedStates),
    failure: orNull(
      members(
        {
          code: { type: "string", enum: namesIn(comparisonFailures), description: "Stable, for programs." },
          detail: { type: "string", description: "What happened, as a sentence." },
        },
        { description: "Why it could not be made; null if it did not fail." },
      ),
    ),
  }),
  relationships: { always: ["report"], optional: ["base"] },
} as const satisfies ResourceSchema;

export const comparedRule = {
  description: "The elements of one rule that are in one state, in a report compared with another.",
  id: { type: "string", pattern: "^[0-9a-f]{32}$" },
  attributes: members({
    kind: { type: "string", enum: checkKinds, description: "The kind of check that found them." },
    rule: { type: ["string", "null"], description: "The engine's name for the rule; null if it names none." },
    title,
    message: { type: ["string", "null"], description: "What the engine says; null where it says several things." },
    success_criteria: standardAttributes.success_criteria,
    issue_type: { type: "string", enum: ["error", "warning"] },
    impact: { type: ["string", "null"], enum: [...impacts, null], description: "The worst of its elements." },
    outside_standard: { type: "boolean", description: "It counts neither as an error nor as a warning." },
    state: {
      type: "string",
      enum: namesIn(findingStates),
      description: namesIn(findingStates)
        .map((state) => `${state}: ${findingStates[state]}`)
        .join(" "),
    },
    muted: { type: "boolean", description: "They are muted now." },
    how_many: { ...count, description: "The elements." },
    num_pages: { ...count, description: "On so many pages." },
    first_seen_at: timestamp("When the oldest of them was first found."),
  }),
  relationships: { always: ["report", "findings"] },
} as const satisfies ResourceSchema;

const codesOf = (severity: Severity) =>
  namesIn(noticeTexts)
    .filter((code) => noticeTexts[code].severity === severity)
    .map((code) => `\`${code}\`: ${noticeTexts[code].sentence}`)
    .join(" ");
const notice = members({
  code: { type: "string", enum: namesIn(noticeTexts), description: "Stable, for programs." },
  severity: {
    type: "string",
    enum: ["gap", "note"],
    description: "gap: something was left out. note: it was not.",
  },
  message: { type: "string", description: "What happened, as a sentence." },
  how_many: count,
  num_urls: { ...count, description: "How many addresses these are about." },
  more: { type: "boolean", description: "true when there are more than how_many." },
  examples: {
    type: "array",
    maxItems: MOST_EXAMPLES,
    items: members({
      url: { type: "string", description: 'The address; "" for what is not about one.' },
      detail: { type: "string", description: "What was received, for people." },
    }),
  },
  advice: { type: "string", description: "What to do about it." },
});

export const progress = {
  description: "How fast a report is checked, and how long it still takes.",
  id: uuid,
  attributes: members({
    checks_per_minute: {
      ...count,
      type: ["integer", "null"],
      description: "Recent checks of all kinds per minute; null without an estimate.",
    },
    pages_per_minute: {
      ...count,
      type: ["integer", "null"],
      description:
        "Pages that are checked by all kinds per minute, as fast as the slowest kind is; null without an estimate.",
    },
    pages: members({
      found: { ...count, description: "Pages that were found so far." },
      checked: { ...count, description: "Those of them that were checked by all kinds." },
      failed: { ...count, description: "Those that could not be checked." },
    }),
    rates: {
      type: "array",
      description:
        "How fast pages ended in each twelfth of the time since the run began, or of the last half hour; empty when the report does not run.",
      items: members({
        at: timestamp("When the part begins."),
        pages_per_minute: { ...count, description: "Pages that ended in it, checked or not, for a minute." },
      }),
    },
    seconds_left: {
      ...count,
      type: ["integer", "null"],
      description: "How long the waiting checks take at that rate; null without an estimate.",
    },
    all_pages_found: {
      type: "boolean",
      description: "false while pages are still being found: seconds_left is then a minimum.",
    },
    comparing: {
      type: "boolean",
      description:
        "true once all checks have ended and the report has not: it is compared with the one before it, which may take minutes.",
    },
    notices: {
      type: "array",
      description:
        "What the crawl has left out so far because it would change something on the site, and whether the account that is signed in can; empty when the report does not run.",
      items: notice,
    },
  }),
  relationships: { always: ["report"] },
} as const satisfies ResourceSchema;

const gateResults = {
  type: ["array", "null"],
  description: "The result of each condition of the gate; null before the end, and without a gate.",
  items: members({
    condition: { type: "string", enum: namesIn(gateConditions), description: "The condition." },
    limit: { ...count, description: "The maximum allowed." },
    counted: { ...count, type: ["integer", "null"], description: "What was counted; null when it was not judged." },
    passed: { type: ["boolean", "null"], description: "Whether it is met; null when it was not judged." },
    reason: {
      type: ["string", "null"],
      enum: [...namesIn(gateReasons), null],
      description: `Why it was not judged, or why it is not met although the count is within the limit: ${Object.entries(
        gateReasons,
      )
        .map(([reason, text]) => `${reason}, ${text}`)
        .join("; ")}. null when the count says everything.`,
    },
  }),
} as const;

/** What each notice means, as a list in a description. */
const complete = {
  type: "boolean",
  description: "Whether nothing of the site was left out: no notice is a gap.",
} as const;
const byReason = {
  type: "object",
  propertyNames: { enum: exclusionReasons },
  additionalProperties: count,
} as const;
const coverage = orNull(
  members(
    {
      complete,
      pages: members({
        found: pages,
        checked: { ...count, description: "Pages whose checks all have a result." },
        failed: { ...count, description: "Pages with a check that failed." },
        without_page: {
          ...count,
          description: "Those of them that lead to no page: they do not exist any more, or are no HTML.",
        },
        left_out: {
          ...byReason,
          description:
            "Addresses that are no pages of the report, by reason (see excluded_urls); without reasons that have none.",
        },
      }),
      notices: {
        type: "array",
        description: `What was left out, or read otherwise than one might expect; gaps first. Gaps: ${codesOf("gap")} Notes: ${codesOf("note")}`,
        items: notice,
      },
    },
    { description: "What the result covers; null until the report has ended." },
  ),
);

const times = {
  inserted_at: timestamp("When the report was created."),
  last_checked_at: maybeTimestamp("The end of the last check."),
};

/** A report's checks of a kind. */
function checksOf<Kind extends CheckKind>(kind: Kind) {
  return orNull(members({ status: checkCounts, reused, issues: counted(kind, { errors, warnings, muted }) }));
}

/** What was counted when a report ended. */
const end = members(
  {
    ended_at: timestamp("When it ended first."),
    checks: members(
      each(checkKinds, () => orNull(members({ ...totals.properties, muted }))),
      { description: "What was counted then of each kind of check; null for those that were not performed." },
    ),
    comparison: orNull(
      members(
        { base_id: { ...uuid, description: "The report that it was compared with." }, states, muted: mutedStates },
        { description: "How it compared then; null if it was not compared." },
      ),
    ),
  },
  { description: "What was counted when the report ended: mutings and pages that are checked again do not change it." },
);

/** How long the parts of a run took. */
const durations = members(
  {
    queued_ms: milliseconds("From its creation until its crawl began; null before."),
    crawl_ms: milliseconds("From then on until all pages were found; null before."),
    checks_ms: milliseconds(
      "From then on until it ended: checks run beside the crawl, and this is what was left of them, with the comparison. null before its end.",
    ),
  },
  { description: "How long it took, in milliseconds. Pages that are checked again later do not change it." },
);

const verdict = {
  passed: {
    type: ["boolean", "null"],
    description:
      "Whether it passed its gate when it ended; null before that, and without a gate. Mutings do not change it.",
  },
  passed_now: {
    type: ["boolean", "null"],
    description: "Whether it would pass with what is counted now: without what is muted now.",
  },
} as const;

/** How far a report is, and how it ended. */
const outcome = {
  num_pages: pages,
  phase,
  failure,
  checks: members(
    namedByKind<{ readonly [Kind in CheckKind]: ReturnType<typeof checksOf<Kind>> }>((kind) => [kind, checksOf(kind)]),
  ),
  comparison: orNull(
    members(
      {
        base_id: { ...uuid, description: "The report that it is compared with." },
        base_inserted_at: timestamp("When that was created."),
        differs,
        states,
        muted: mutedStates,
      },
      { description: "null until the report has ended, and without a report to compare it with." },
    ),
  ),
  at_end: orNull(end),
  ...verdict,
} as const;
const ofSite = {
  id: uuid,
  ...outcome,
  coverage: orNull(members({ complete }, { description: "null until the report has ended." })),
  ...times,
} as const;

export const report = {
  description: "One validation of a site: its definition, progress and counters.",
  id: uuid,
  attributes: members(
    {
      ...fields,
      domain: { type: "string", description: "Host name of the starting URL." },
      ...outcome,
      engines: members(
        each(checkKinds, () => engine),
        { optional: checkKinds, description: "Name and version of each engine that ran." },
      ),
      gate_results: gateResults,
      gate_results_now: { ...gateResults, description: "The same with what is counted now." },
      coverage,
      num_faults: {
        ...count,
        type: ["integer", "null"],
        description: "The faults of its pages (see web_page); null until it has ended.",
      },
      roles: roleCounts("The roles of its errors, without muted ones; null until it has ended."),
      bytes: { ...count, description: "What it takes of the account's storage; left out for all but the owner." },
      pin: orNull(
        members(
          {
            reason: { type: "string", description: "Why." },
            pinned_by: { type: ["string", "null"], description: "Who has said so; null for all but the owner." },
            inserted_at: timestamp("Since when."),
          },
          { description: "It stays until somebody takes the pin away (/pins); null without one." },
        ),
      ),
      durations,
      ...times,
      updated_at: timestamp("When it last changed."),
      changes: {
        ...differs,
        description:
          "Of a schedule's run: the settings of a series that differ from those of the run before it, in the order of lists.",
      },
      sign_in_pictures: {
        type: "array",
        description:
          "Pictures of its sign-in, by step: the page on which that failed and, if it was created with store_screenshot, the page after each step.",
        items: members({
          step: { type: "integer", minimum: 1, description: "From 1; one more than there are steps: all were done." },
          action: {
            type: ["string", "null"],
            description: "What the step does, without what is typed; null when all were done.",
          },
          failed: { type: "boolean", description: "Whether the sign-in failed here." },
          url: { ...url, description: "The picture, as PNG." },
        }),
      },
      guest_token: guestToken,
    },
    // Readers of a shared report see none of them.
    { optional: ["guest_token", "basic_auth_id", "bytes", "changes", "sign_in_pictures"] },
  ),
  relationships: {
    always: [
      "web_pages",
      ...checkKinds.map((kind) => `common_${nounOf(kind)}_issues` as const),
      "findings",
      "components",
      "causes",
      "sections",
      "criteria",
      "mutings",
      "excluded_urls",
    ],
    // Readers of a shared report get no links that they could not follow.
    optional: ["device", "schedule", "guest_account"],
  },
} as const satisfies ResourceSchema;

const share = {
  type: "number",
  minimum: 0,
  maximum: 1,
  description: "The share of checked pages without errors.",
} as const;
const score = {
  type: "integer",
  minimum: 0,
  maximum: 100,
  description:
    "The mean over checked pages, rounded down: a page has 100, and loses 10, 5, 2 or 1 for each cause of errors on it, once, by its impact.",
} as const;
const totalsThen = { ...totals, description: "What was counted when it ended." } as const;
const siteNumbers = {
  report_id: uuid,
  ended_at: timestamp("When it ended first."),
  errors,
  warnings,
  at_end: members(
    { errors, warnings, critical: { ...count, description: "Those of them of the impact critical." } },
    { description: totalsThen.description },
  ),
  critical: { ...count, description: "Errors and warnings of the impact critical." },
  errors_per_page: { type: "number", minimum: 0, description: "Errors by checked pages." },
  score,
  share_without_errors: share,
  pages: members(
    {
      checked: { ...count, description: "Pages whose checks all had a result." },
      without_errors: { ...count, description: "Those of them without an error." },
      without_issues: { ...count, description: "Those of them without an error or a warning." },
      failed: { ...count, description: "Pages with a check that failed." },
      without_page: { ...count, description: "Those of them whose addresses lead to no page." },
      known: { ...count, description: "All pages, also those without_page, and those beyond the limit." },
    },
    { description: "Pages by what was found on them." },
  ),
} as const;

export const site = {
  description: "A site, identified by its starting URL: its newest report, and the results of the earlier ones.",
  id: { type: "string", pattern: "^[0-9a-f]{32}$", description: "The starting URL's digest." },
  attributes: members({
    starting_url: fields.starting_url,
    name: siteSchema.properties.name,
    owner: { type: ["string", "null"], description: "The name of who has it." },
    assignment: orNull(assignment("Who has the site, and what nobody has who is nearer to it; null for nobody.")),
    tags: siteSchema.properties.tags,
    target_score: siteSchema.properties.target_score,
    target_on: siteSchema.properties.target_on,
    num_reports: { ...count, description: "Reports of the site." },
    latest: members(ofSite, { description: "The newest report, which may be under way, or have failed." }),
    latest_whole: orNull(
      members(
        { ...ofSite, failure: { type: "null", description: "It has not failed." } },
        {
          description:
            "The newest report with the results of its whole site: complete, and neither cut short nor cancelled.",
        },
      ),
    ),
    numbers: orNull(
      members(siteNumbers, {
        description:
          "What the newest report with the results of its whole site has, without what is muted now; null without one.",
      }),
    ),
    change: orNull(
      members(
        {
          base_id: { ...uuid, description: "The report that numbers are compared with." },
          base_ended_at: timestamp("When it ended."),
          errors: { type: "integer", description: "More errors, or fewer if negative." },
          errors_per_page: { type: "number", description: "The same for each checked page." },
          score: { type: "integer", description: "How much the score has changed." },
          share_without_errors: { type: "number", description: "How much the share of pages without errors has." },
          worst_rule: orNull(
            members(
              {
                kind: { type: "string", enum: checkKinds },
                rule: { type: ["string", "null"], description: "The engine's name for it; null if it names none." },
                title,
                errors: { ...count, description: "The errors that it adds, without what is muted now." },
                role: orNull({
                  type: "string",
                  enum: namesIn(roles),
                  description: "What of the site most of its elements are; null until that is counted.",
                }),
              },
              { description: "The rule that adds the most errors; null if none adds any." },
            ),
          ),
        },
        {
          description:
            "numbers compared with those of the last report of the same series before the period; null without one. The same settings decided what both visited, found and counted.",
        },
      ),
    ),
    runs: {
      type: "array",
      description: "The newest reports, at most 20, the oldest of them first.",
      items: members({
        report_id: uuid,
        inserted_at: times.inserted_at,
        phase,
        whole: {
          type: "boolean",
          description:
            "It has the results of its whole site: otherwise errors and warnings are only what was found so far.",
        },
        ...verdict,
        errors,
        warnings,
        muted,
        at_end: orNull(totalsThen),
        series: {
          type: "string",
          pattern: "^[0-9a-f]{32}$",
          description:
            "The same for reports whose settings decide alike what is visited, found and counted: a trend is of these.",
        },
        changes: {
          ...differs,
          description: "Those of these settings that differ from the run before it in this list.",
        },
      }),
    },
    next_run_at: maybeTimestamp("When a schedule starts the next report."),
  }),
  relationships: { always: ["latest_report", "reports", "history"], optional: ["schedule"] },
} as const satisfies ResourceSchema;

const points = { type: "number", minimum: 0, description: "Points of 100 that are lost for it." } as const;
const day = { type: ["string", "null"], pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" } as const;
export const siteScore = {
  description: "What a site has of 100 points, what it loses and by what, and the target.",
  id: site.id,
  attributes: members({
    score: { ...score, type: ["integer", "null"] },
    points: { type: "number", minimum: 0, description: "How many points are lost: both lists add up to it." },
    by_level: members(
      each(lossLevels, () => points),
      { description: "By the least level of WCAG that a cause fails; none for causes that are about no criterion." },
    ),
    by_role: members(
      each(["template", "design", "content"], () => points),
      { description: "By the role of the place that is changed." },
    ),
    same_pages: orNull(
      members(
        {
          base_id: { ...uuid, description: "The first report of the period that can be compared." },
          base_ended_at: timestamp("When it ended."),
          pages: { ...count, description: "Pages that both have checked." },
          before: { ...score, description: "The score of these pages then." },
          now: { ...score, description: "The score of these pages now: pages that were added move neither." },
        },
        { description: "The score of the pages that both reports have; null without such." },
      ),
    ),
    target: orNull(
      members(
        {
          score: { ...score, description: "What the score is to be." },
          on: { type: ["string", "null"], description: "The day by which; null without one." },
          expected_at: maybeTimestamp(
            "When it is reached on a straight line from the first to the last report of the period; null when the score is not getting better, and with fewer than four reports.",
          ),
          reached_at: maybeTimestamp(
            "The first report of the period since which it was never missed; null while it is.",
          ),
          num_runs: { ...count, description: "Reports of the period that can be compared with the newest." },
          from: orNull(
            members(
              { score: { ...score, description: "The score then." }, ended_at: timestamp("When it ended.") },
              { description: "The first of them; null where there is only one." },
            ),
          ),
        },
        { description: "null without a target." },
      ),
    ),
    after: members(
      {
        first: {
          type: "array",
          items: score,
          description: "The score once the first cause is mended, once the first two are, and so on: at most five.",
        },
        assigned: {
          type: "array",
          items: members({
            assignee: { type: "string", description: "A person, a team or an agency." },
            due_on: { ...day, description: "The last day that is said for their causes; null without any." },
            score: { ...score, description: "The score once they have mended all that they have." },
          }),
          description: "Who mends something, without what is said to be done.",
        },
      },
      {
        description:
          "What the score would be without some causes; about, where a page would lose more than 100 points.",
      },
    ),
  }),
  relationships: { always: ["site", "report"] },
} as const satisfies ResourceSchema;

export const pageViews = {
  description: "How often pages of a site were viewed, by the file that it was given last.",
  id: site.id,
  attributes: members({
    format: {
      type: ["string", "null"],
      enum: [...viewsFormats, null],
      description: "What wrote the file; csv is any table of addresses and views. null without a file.",
    },
    imported_at: maybeTimestamp("When the file was read; null without one."),
    first_day: { ...day, description: "The first day that its rows name; null where they name none." },
    last_day: { ...day, description: "The last of these days." },
    num_rows: { ...count, description: "Rows of the file that name an address." },
    pages: { ...count, description: "Pages of the site's newest report with a number, of num_pages." },
    num_pages: { ...count, description: "All pages of that report." },
    views: { ...count, description: "Views of pages of the site together." },
    other_rows: { ...count, description: "Rows of no page of the site: their addresses are not stored." },
    other_views: { ...count, description: "The views of these rows together." },
  }),
  relationships: { always: ["site", "report"] },
} as const satisfies ResourceSchema;

const ofDay = members({
  ...each(["errors", "warnings", "critical", "serious", "moderate", "minor"], (name) => ({
    ...count,
    description: `The ${name}; 0 for a kind without such.`,
  })),
  share_without_errors: share,
});
const date = { type: "string", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description: "In UTC." } as const;
export const siteSeries = {
  description: "What the reports of a site have, by when they ended, without what is muted now.",
  id: site.id,
  attributes: members({
    days: {
      type: "array",
      maxItems: 500,
      description:
        "The reports with the results of the whole site that ended in the period, the oldest first; by day, the last one of each.",
      items: members({
        date,
        ended_at: timestamp("When it ended first."),
        report_id: uuid,
        has_report: {
          type: "boolean",
          description: "false: the report is deleted, and its numbers are those that it had then.",
        },
        series: {
          type: "string",
          pattern: "^[0-9a-f]{32}$",
          description: "The same for reports that can be compared: a line in a chart is of these.",
        },
        errors: siteNumbers.errors,
        warnings: siteNumbers.warnings,
        at_end: totalsThen,
        errors_per_page: siteNumbers.errors_per_page,
        score,
        share_without_errors: share,
        pages: siteNumbers.pages,
        checks: members(
          each(checkKinds, () => ofDay),
          { optional: checkKinds, description: "By kind; without those that were not performed." },
        ),
        markers: {
          type: "array",
          description: "What changed since the one before it in the list, and may be why the numbers did.",
          items: members({
            what: { type: "string", enum: ["engine", "setting"] },
            name: { type: "string", description: "The kind of check, or the attribute." },
            from: { type: ["string", "null"], description: "The engine with its version; null for a setting." },
            to: { type: ["string", "null"], description: "The same of this one." },
          }),
        },
      }),
    },
    without_result: {
      type: "array",
      maxItems: 100,
      description: "The reports of the period that ended without a result, the oldest first: the newest 100.",
      items: members({ report_id: uuid, ended_at: timestamp("When it ended.") }),
    },
  }),
  relationships: { always: ["site"] },
} as const satisfies ResourceSchema;

export const sitesSeries = {
  description: "What all sites have together, without what is muted now.",
  id: { type: "string", enum: ["all"], description: "There is one." },
  attributes: members({
    days: {
      type: "array",
      maxItems: 367,
      description:
        "The days on which a report with the results of a whole site ended, the oldest first, after what was known when the period began. Each counts the last such report of every site until then.",
      items: members({
        date,
        num_sites: { ...count, description: "Sites with a result by then." },
        pages: { ...count, description: "Their checked pages." },
        errors: siteNumbers.errors,
        errors_per_page: siteNumbers.errors_per_page,
        by_kind: members(
          each(checkKinds, () => errors),
          { description: "The errors by kind of check." },
        ),
      }),
    },
  }),
  relationships: { always: [] },
} as const satisfies ResourceSchema;

export const siteRun = {
  description: "A report of a site among the others of the site.",
  id: uuid,
  attributes: members({
    inserted_at: times.inserted_at,
    ended_at: maybeTimestamp("When it ended first; null while it runs."),
    phase,
    whole: { type: "boolean", description: "It has the results of its whole site." },
    failure_code: { type: ["string", "null"], description: "Why it has no result, or only a part; null if it has." },
    ...verdict,
    errors,
    warnings,
    muted,
    at_end: orNull(totalsThen),
    num_pages: { ...count, description: "Pages that it found." },
    numbers: orNull(
      members(
        { errors_per_page: siteNumbers.errors_per_page, score, share_without_errors: share, pages: siteNumbers.pages },
        { description: "Without what is muted now; null unless it has the results of its whole site." },
      ),
    ),
    change: orNull(
      members(
        {
          base_id: { ...uuid, description: "The report before it." },
          errors: { type: "integer", description: "More errors, or fewer if negative." },
        },
        { description: "Compared with the last report of the same series before it; null without one." },
      ),
    ),
    started_by: {
      type: "string",
      enum: ["schedule", "request"],
      description: "A schedule, or a request to the API or a page.",
    },
  }),
  relationships: { always: ["report"], optional: ["schedule"] },
} as const satisfies ResourceSchema;

/** Members of the meta of the list of sites. */
export const siteMeta = {
  counts: members(
    {
      all: { ...count, description: "All sites." },
      mine: { ...count, description: "Those of which the person who asks has something." },
      worse: { ...count, description: "Those with more errors per page than before the period." },
      better: { ...count, description: "Those with fewer." },
      failed: { ...count, description: "Those whose newest report has failed." },
      running: { ...count, description: "Those whose newest report has not ended yet." },
      tags: {
        type: "array",
        description: "The tags of most sites, at most 50.",
        items: members({
          tag: { type: "string", description: "The tag." },
          sites: { ...count, description: "Sites that have it." },
        }),
      },
    },
    { description: "How many sites there are, whatever the filters are." },
  ),
} as const;

const newErrors = (description: string) => ({ ...count, type: ["integer", "null"], description }) as const;
const checkStatus = { type: "string", enum: ["pending", "checking", "checked", "failed"] } as const;
const pageCheck = {
  status: checkStatus,
  errors: count,
  warnings: count,
  failure,
  duration_ms: milliseconds(
    "How long its last run took, without waits for the rate limit; a browser loads the page in it. null before its end, and where no engine ran.",
  ),
  reused: {
    type: "boolean",
    description:
      "Its result is that of an earlier report of the site: the page, the settings and the program had not changed. It costs no credit.",
  } as const,
};

/** A page's check of a kind. */
function pageCheckOf<Kind extends CheckKind>(kind: Kind) {
  return orNull(counted(kind, pageCheck, { description: `null when ${manifestOf(kind).name} checks are off.` }));
}

/** Which pages link to an address. */
const inbound = (unless: string) =>
  ({
    num_linked_from: {
      type: ["integer", "null"],
      minimum: 0,
      description: `How many pages and lists link to it or, if a redirect led to it before any link did, to what redirected; null ${unless}.`,
    },
    linked_from_pages: {
      type: ["array", "null"],
      items: { type: "string" },
      maxItems: MAX_PAGES_KEPT,
      description: `The first of them, in the order in which they were read; null ${unless}.`,
    },
  }) as const;

/** Members of the meta of the list of reports. */
export const reportMeta = {
  results: orNull(
    members(
      {
        all: { ...count, description: "All reports." },
        passed: { ...count, description: "Those that met their limits when they ended." },
        not_passed: { ...count, description: "Those that did not." },
        no_limits: { ...count, description: "Those that have ended and had no limits." },
        failed: { ...count, description: "Those that could not be checked." },
        running: { ...count, description: "Those that have not ended." },
        pinned: { ...count, description: "Those that are pinned, whatever their result." },
      },
      { description: "How many reports there are of each result; null unless results is true." },
    ),
  ),
} as const;

/** Members of the meta of the list of pages. */
export const webPageMeta = {
  has_views: {
    type: "boolean",
    description: "Page views of the report's site are known; false for all but the owner.",
  },
  results: orNull(
    members(
      {
        errors: { ...count, description: "Errors on all of these pages." },
        new_errors: { ...count, description: "Those of them that are new since the report before it." },
        pages: members(
          {
            all: { ...count, description: "All pages." },
            errors: { ...count, description: "Those with errors." },
            warnings: { ...count, description: "Those with warnings only." },
            nothing: { ...count, description: "Those with neither." },
            not_checked: { ...count, description: "Those that could not be checked." },
            without_page: { ...count, description: "Addresses that lead to no page." },
            waiting: { ...count, description: "Those that are still to be checked." },
            new: { ...count, description: "Those with new errors." },
          },
          { description: "How many pages filter[result] would select, and filter[state]=new." },
        ),
      },
      {
        description:
          "Of all pages that filter[url], filter[search] and filter[path] select; null unless results asks for it.",
      },
    ),
  ),
} as const;

export const webPage = {
  description: "One page of a report.",
  id: numericId,
  attributes: members({
    url: { type: "string", description: "The page's URL." },
    title: { type: ["string", "null"], description: "The title of its document, shortened; null without one." },
    linked_from: {
      type: ["string", "null"],
      description: "The first page that links to it; null for a page where the crawl started.",
    },
    ...inbound("unless the crawler could not fetch it"),
    status: {
      ...checkStatus,
      description: "failed when one of its checks has failed, checked when all of them are checked.",
    },
    http_status: {
      type: ["integer", "null"],
      description: "The HTTP status that the page was received with; null before.",
    },
    ...namedByKind<{ readonly [Kind in CheckKind as `${Noun<Kind>}_check`]: ReturnType<typeof pageCheckOf<Kind>> }>(
      (kind) => [`${nounOf(kind)}_check`, pageCheckOf(kind)],
    ),
    like_others: {
      type: "boolean",
      description:
        "It is like three pages before it, so that acting (a11y_depth) left it out: what only acting finds is not known of it.",
    },
    num_faults: {
      ...count,
      description:
        "Its elements with errors, without muted ones: an element counts once for all that several kinds of checks say about the same thing.",
    },
    faults: members(
      {
        all: { ...count, description: "All of them." },
        ...each(namesIn(roles), (role) => ({ ...count, description: `Those with the role ${role}.` })),
      },
      {
        description:
          "How many things there are to mend on it, without muted ones: what several findings say about the same thing of one element is one, and so are elements that cannot be told apart. Errors, warnings and what is outside of the standard; 0 by role until the report has ended.",
      },
    ),
    without_page: {
      type: "boolean",
      description: "Its address leads to no page: it does not exist any more, or is no HTML. Nothing is left out then.",
    },
    views: {
      type: ["integer", "null"],
      minimum: 0,
      description:
        "How often it was viewed, by the page views that its site has; null where that is not known, and for all but the owner.",
    },
    met: {
      type: ["integer", "null"],
      minimum: 0,
      description: "Views × errors on it: how often a visitor met one. null without views.",
    },
    new_errors: newErrors("Errors on it that are new since the report before it; null when not compared."),
    roles: roleCounts(
      "The roles of its errors, without muted ones; null until the report has ended, and for a page without errors.",
    ),
    fetch_ms: milliseconds(
      "How long it took to receive the page, without waits for the rate limit; null where that is not known.",
    ),
    duration_ms: milliseconds("fetch_ms and the durations of its checks together; null before the first of them."),
    screenshot_size: orNull(
      members(
        {
          width: { type: "integer", minimum: 1, description: "In CSS pixels." },
          height: { type: "integer", minimum: 1, description: "In CSS pixels." },
          scale: { type: "number", exclusiveMinimum: 0, description: "Pixels of the picture per CSS pixel." },
        },
        {
          description:
            "What of the page is in its screenshot, from its top left corner on: at most 8,000 CSS pixels in each direction. null where there is none.",
        },
      ),
    ),
    inserted_at: timestamp("When the page was found."),
    updated_at: timestamp("When it last changed."),
    last_checked_at: maybeTimestamp("The end of its last check."),
  }),
  relationships: {
    always: ["report", ...checkKinds.map((kind) => `${nounOf(kind)}_issues` as const)],
    // Left out where nothing is stored.
    optional: [...checkKinds.map((kind) => `raw_${nounOf(kind)}_check` as const), "screenshot", "source"],
  },
} as const satisfies ResourceSchema;

const { report_id: _ofReport, ...numbersShared } = siteNumbers;
const { report_id: _ofDay, has_report: _kept, ...dayShared } = siteSeries.attributes.properties.days.items.properties;
export const shared = {
  description: "What a share link opens.",
  id: uuid,
  attributes: members({
    expires_at: timestamp("When the link ends."),
    report_id: { type: ["string", "null"], format: "uuid", description: "The report; null for a site." },
    site: orNull(
      members(
        {
          name: siteSchema.properties.name,
          starting_url: fields.starting_url,
          numbers: orNull(members(numbersShared, { description: "As of a site." })),
          days: { type: "array", items: members(dayShared), description: "As of a site, without changes of settings." },
        },
        { description: "The site; null for a report." },
      ),
    ),
  }),
  relationships: { always: [], optional: ["report"] },
} as const satisfies ResourceSchema;

const CRITERION = "^[1-4][.][0-9][.][0-9]{1,2}$";

export const siteRule = {
  description: "How often a rule was found on a site, by its newest report of the whole site.",
  id: { type: "string" },
  attributes: members({
    starting_url: { type: "string", description: "The site." },
    name: { type: ["string", "null"], description: "What people call the site." },
    report_id: { type: "string", format: "uuid" },
    kind: { type: "string", enum: checkKinds, description: "The kind of check that found it." },
    rule: { type: ["string", "null"], description: "The engine's name for the rule; null if it names none." },
    errors: { ...count, description: "Elements that count as errors, without muted ones." },
    how_many: { ...count, description: "Those, and those that are warnings or outside of the standard." },
    num_pages: { ...count, description: "Pages that have them." },
  }),
  relationships: { always: ["site", "report", "common_issue"] },
} as const satisfies ResourceSchema;

export const section = {
  description: "The pages of a report in one folder of its site.",
  id: { type: "string", description: "Its path." },
  attributes: members({
    path: { type: "string", description: "Begins and ends with a slash; / is the pages that are in no folder." },
    num_pages: { ...count, description: "Its pages." },
    num_checked_pages: { ...count, description: "Those of them whose checks all have a result." },
    errors: { ...count, description: "Errors on its pages, without muted ones." },
    warnings: { ...count, description: "Warnings on its pages, without muted ones." },
    new_errors: newErrors("Those of the errors that are new since the report before it; null when not compared."),
    assignment: orNull(assignment("Who has it; null when nobody does, and for readers who do not own the report.")),
  }),
  relationships: { always: ["report", "web_pages", "findings"] },
} as const satisfies ResourceSchema;

export const criterion = {
  description: "A success criterion of WCAG, and what a report says of it.",
  id: { type: "string", pattern: CRITERION, description: "Its number." },
  attributes: members({
    number: { type: "string", pattern: CRITERION, description: "Such as 1.4.3." },
    title: { type: "string", description: "As in WCAG 2.2." },
    level: { type: "string", enum: ["A", "AA", "AAA"] },
    since: { type: "string", enum: ["2.0", "2.1", "2.2"], description: "The first version of WCAG that has it." },
    state: {
      type: "string",
      enum: namesIn(criterionStates),
      description: namesIn(criterionStates)
        .map((state) => `${state}: ${criterionStates[state]}`)
        .join(" "),
    },
    errors: { ...count, description: "Errors about it, without muted ones. One may be about several criteria." },
    warnings: { ...count, description: "What a person must review, without what is muted." },
    url: { type: "string", description: "Where it is explained." },
  }),
  relationships: { always: ["report", "common_html_issues", "common_a11y_issues"] },
} as const satisfies ResourceSchema;

/** Members of the meta of the list of excluded URLs. */
export const excludedMeta = {
  reasons: {
    ...byReason,
    description: "How many there are for each reason, whatever the filter; without reasons that have none.",
  },
} as const;

export const excludedUrl = {
  description: "A URL that the crawler found and left out.",
  id: numericId,
  attributes: members({
    url: { type: "string" },
    linked_from: { type: ["string", "null"], description: "The page that it was found on." },
    ...inbound("where a limit left it out, and for a page that was removed"),
    reason: { type: "string", enum: exclusionReasons, description: "Why it was left out." },
    inserted_at: timestamp("When it was found."),
  }),
  relationships: { always: ["report"] },
} as const satisfies ResourceSchema;
