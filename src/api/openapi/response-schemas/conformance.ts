import { assignmentStates } from "../../../domain/causes/assignment.ts";
import { answerOutcomes, claims, siteCriterionStates } from "../../../domain/conformance/judge-site.ts";
import { drawnBy } from "../../../domain/conformance/sample.ts";
import { siteCriterionSchema, statementSchema } from "../../request-attributes.ts";
import { count, members, namesIn, orNull, type ResourceSchema, timestamp } from "./parts.ts";
import { criterion } from "./reports.ts";

const { state: _, ...ofReport } = criterion.attributes.properties;
const { pages, answered_by, due_on } = siteCriterionSchema.properties;
const evidence = {
  type: ["string", "null"],
  description: siteCriterionSchema.properties.evidence.description,
} as const;
const outcome = { type: "string", enum: answerOutcomes } as const;

const state = {
  type: "string",
  enum: namesIn(siteCriterionStates),
  description: namesIn(siteCriterionStates)
    .map((name) => `${name}: ${siteCriterionStates[name]}`)
    .join(" "),
} as const;

export const siteCriterion = {
  description: "A success criterion of WCAG on a site: what its newest report says, and what a person has seen.",
  id: criterion.id,
  attributes: members({
    ...ofReport,
    state,
    answer: orNull(
      members(
        {
          ...{ outcome, evidence, answered_by, answered_at: timestamp("When it was said."), due_on, pages },
          holds: { type: "boolean", description: "An answer holds for 365 days." },
        },
        { description: "What a person said last, also if it no longer holds." },
      ),
    ),
  }),
  relationships: { always: ["site", "report"] },
} as const satisfies ResourceSchema;

const stateCounts = members(
  {
    failed_by_machine: count,
    failed: count,
    passed: count,
    not_present: count,
    nothing_found: count,
    needs_person: count,
  },
  { description: "How many criteria are in each state: together all." },
);

/** Members of the meta of the list of a site's criteria. */
export const siteCriteriaMeta = { states: stateCounts } as const;

export const siteSample = {
  description: "Pages of a site for people to look at (WCAG-EM): up to two of each template, and two at random.",
  id: { type: "string", description: "That of the site." },
  attributes: members({
    seed: { type: "string", description: "The same seed draws the same pages." },
    pages: {
      type: "array",
      items: members({
        url: { type: "string" },
        template: {
          type: ["string", "null"],
          description: "Pages of equal structure have the same; null where it is not known.",
        },
        drawn: { type: "string", enum: drawnBy },
      }),
    },
  }),
  relationships: { always: ["site", "report"] },
} as const satisfies ResourceSchema;

const { operator, contact, answer_within_days } = statementSchema.properties;

export const statement = {
  description: "The accessibility statement of a site, as it follows from its criteria and causes.",
  id: { type: "string", description: "That of the site." },
  attributes: members({
    operator: { type: ["string", "null"], description: operator.description },
    contact: { type: ["string", "null"], description: contact.description },
    answer_within_days: { type: ["integer", "null"], description: answer_within_days.description },
    standard: { type: "string" },
    claim: {
      type: "string",
      enum: namesIn(claims),
      description: namesIn(claims)
        .map((name) => `${name}: ${claims[name]}`)
        .join(" "),
    },
    text: { type: "string", description: "The sentence that says it." },
    states: stateCounts,
    problems: {
      type: "array",
      description:
        "What does not work yet: causes of errors about a criterion, and what persons have seen. Each criterion that fails is named.",
      items: members({
        title: { type: "string" },
        criteria: { type: "array", items: { type: "string" } },
        due_on: { type: ["string", "null"], description: "The day by which it is mended." },
        state: {
          type: "string",
          enum: assignmentStates,
          description: "Whether somebody mends it: what a person has seen is taken once it has a day.",
        },
      }),
    },
    missing: {
      type: "array",
      items: { type: "string" },
      description: "What has to be done before it is ready; empty when it is.",
    },
  }),
  relationships: { always: ["site", "report"] },
} as const satisfies ResourceSchema;
