import { checkKinds, kindsThat, namesOf } from "../../../checks/kinds.ts";
import { type AssignmentState, assignmentStates, holderKinds } from "../../../domain/causes/assignment.ts";
import { knownBy } from "../../../domain/causes/causes.ts";
import { findingStates } from "../../../domain/findings/finding-state.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { roles } from "../../../domain/findings/role.ts";
import { assignment, holder } from "./assignments.ts";
import { stateCounts } from "./comparison-parts.ts";
import { box, causedBy, contrast, coordinates, fingerprint, fix } from "./issues.ts";
import { count, members, namesIn, numericId, orNull, type ResourceSchema, tags, timestamp } from "./parts.ts";
import { title } from "./rules.ts";
import { standardAttributes } from "./standards.ts";

const states = namesIn(findingStates);
const componentId = {
  type: "string",
  pattern: "^[0-9a-f]{20}$",
  description: "The component that it belongs to: the same for the same fault on all pages, in every run.",
} as const;

const causeId = {
  type: "string",
  pattern: "^[0-9a-f]{20}$",
  description: "The cause that it belongs to: what is changed once to mend it and others, the same in every run.",
} as const;

const fault = {
  ...fingerprint,
  description:
    "The same for findings of several kinds of checks about the same thing of one element, such as image-alt and img/alt: what is mended once.",
} as const;
const role = {
  type: ["string", "null"],
  enum: [...namesIn(roles), null],
  description: `Who can mend it: ${namesIn(roles)
    .map((name) => `${name}, ${roles[name]}`)
    .join(" ")} null until the report has ended.`,
} as const;

const rule = {
  kind: { type: "string", enum: checkKinds, description: "The kind of check that found it." },
  rule: { type: ["string", "null"], description: "The engine's name for the rule; null if it names none." },
  title,
  message: { type: "string", description: "What the engine says of the element." },
  help_url: { type: ["string", "null"], description: "Where it is explained." },
  tags: tags("Categories to filter by, such as wcag2aa."),
  ...standardAttributes,
  issue_type: { type: "string", enum: ["error", "warning"], description: "What a person must review is a warning." },
  outside_standard: {
    type: "boolean",
    description:
      "true for a rule that is not of the report's standard: it counts neither as an error nor as a warning.",
  },
  impact: {
    type: ["string", "null"],
    enum: [...impacts, null],
    description: `How severe it is; null for ${namesOf(kindsThat(({ hasImpact }) => !hasImpact))}.`,
  },
  impact_order: { type: ["integer", "null"], description: "minor 1 … critical 4." },
} as const;

/** The kinds whose elements do not have this. */
const namesWithout = (part: "target" | "failure_summary") =>
  namesOf(kindsThat(({ issues }) => !issues.element.includes(part)));

const pixels = { type: "integer", minimum: 0 } as const;
const picture = orNull(
  members(
    {
      url: { type: "string", description: "Of the picture, a WebP image of a few kB with a pixel for each CSS pixel." },
      area: members(
        { x: pixels, y: pixels, width: { ...pixels, minimum: 1 }, height: { ...pixels, minimum: 1 } },
        { description: "What of the page it shows, as box: the element is at box.x − area.x, box.y − area.y in it." },
      ),
    },
    {
      description:
        "The element with what is around it. null where there is none: they are taken with screenshots, of the first 30 elements of a page.",
    },
  ),
);

const element = (description: string) =>
  orNull(
    members(
      {
        extract: { type: "string", description: "Its source, or the source around it." },
        coordinates: orNull(coordinates),
        target: {
          type: ["string", "null"],
          description: `CSS selector; the path into frames is joined with >>>. null for ${namesWithout("target")}.`,
        },
        selector: {
          type: ["string", "null"],
          description: "Its names, ids and classes, without positions: what a muting's selector is compared with.",
        },
        failure_summary: {
          type: ["string", "null"],
          description: `What to fix; null for ${namesWithout("failure_summary")}.`,
        },
        box,
        contrast,
        picture,
        caused_by: causedBy,
        fix,
      },
      { description },
    ),
  );

export const finding = {
  description: "One fault of one rule at one element of one page. Indistinguishable elements are one finding.",
  id: numericId,
  attributes: members({
    ...rule,
    fingerprint,
    component: componentId,
    cause: causeId,
    fault,
    role,
    url: { type: "string", description: "The page's URL." },
    element: element("The first of its elements; null where the issue does not list it."),
    how_many: { ...count, description: "The number of its elements." },
    num_consequences: {
      ...count,
      description: "How many of its elements only follow from another finding of the page, and so are no fault.",
    },
    state: {
      type: ["string", "null"],
      enum: [...states, null],
      description: `Compared with the report before it; null when not compared. The first of these states that one of its elements has: new, new_rule, fixed, gone, unknown, persisting.`,
    },
    states: stateCounts(states, "Its elements by state."),
    first_seen_at: timestamp("When it was first found, in this report or in those before it without a break."),
    found_at: timestamp("When the report found it."),
  }),
  relationships: { always: ["report", "web_page", "issue"] },
} as const satisfies ResourceSchema;

export const component = {
  description: "Findings of one rule at the same element of several pages: what has to be fixed once.",
  id: { type: "string", pattern: "^[0-9a-f]{20}$" },
  attributes: members({
    ...rule,
    how_many: { ...count, description: "Elements on all pages." },
    num_pages: { ...count, description: "Pages that have it." },
    role,
    url: { type: "string", description: "The first of its pages." },
    element: element("An element of that page; null where its issue does not list it."),
  }),
  relationships: { always: ["report", "web_page", "findings"] },
} as const satisfies ResourceSchema;

const numberOfErrors = (description: string) => ({ ...count, description });

export const cause = {
  description:
    "One change in one place of source, with the errors that it removes. Each error of a report belongs to one cause.",
  id: { type: "string", pattern: "^[0-9a-f]{20}$" },
  attributes: members({
    number: {
      ...count,
      description: "Its place among all causes of the report, from 1: those that remove most come first.",
    },
    ...rule,
    title: { type: "string", description: "What is wrong, by the guide to its rule, and with what." },
    rules: {
      type: "array",
      items: { type: "string" },
      description: "All of its rules with their kinds: `a11y image-alt`.",
    },
    how_many: numberOfErrors("The errors that go with the change."),
    verified: numberOfErrors("How many of them were gone when the change was made in copies of their pages."),
    known_by: {
      type: "string",
      enum: knownBy,
      description:
        "verified: all were gone. estimated: some were; the others are alike. not_verified: it was not tried, or did not help.",
    },
    num_pages: { ...count, description: "Pages that have it." },
    num_places: { ...count, description: "Places in source that have to be changed." },
    met: {
      type: ["integer", "null"],
      minimum: 0,
      description:
        "How often visitors met an error of it: the sum over its pages of page views × its errors there. null when the site has no page views, and for all but the owner.",
    },
    role: {
      ...role,
      type: "string",
      enum: namesIn(roles),
      description: "Who changes it, by the place that is changed.",
    },
    place: {
      type: "string",
      description:
        "What is changed: a selector for elements of one shape, a colour, or empty for what all pages share.",
    },
    change: orNull(
      members(
        {
          before: { type: ["string", "null"], description: "null for what is added." },
          after: { type: "string", description: "Values such as texts stand for those that only people can write." },
        },
        { description: "The change at the element, as it was tried; null where none is known." },
      ),
    ),
    assignment: orNull(assignment("Who mends it; null when nobody does, and for readers who do not own the report.")),
    url: { type: "string", description: "The page of the element." },
    element: element("The element that stands for all of them; null where its issue does not list it."),
  }),
  relationships: { always: ["report", "web_page", "findings"] },
} as const satisfies ResourceSchema;

/** Members of the meta of a list of causes. Each error has one cause, so sums count none twice. */
export const causeMeta = {
  how_many: numberOfErrors("The errors of all listed causes, on this page of the list and others."),
  verified: numberOfErrors("How many of these are verified."),
  estimated: numberOfErrors("How many of these are estimated. What is left is not verified."),
  first: members(
    { causes: count, how_many: count, verified: count, estimated: count },
    { description: "What those remove together that come first: at most five." },
  ),
  counts: members(
    {
      role: members(
        Object.fromEntries(namesIn(roles).map((name) => [name, count])) as Record<keyof typeof roles, typeof count>,
      ),
      impact: members({ critical: count, serious: count, moderate: count, minor: count, none: count }),
      mine: { ...count, description: "What the person who asks has, also by a team." },
      known_by: members({ verified: count, estimated: count, not_verified: count }),
      state: members(
        Object.fromEntries(assignmentStates.map((state) => [state, count])) as Record<AssignmentState, typeof count>,
      ),
    },
    { description: "How many causes each value would list in place of its filter, with all other filters." },
  ),
  assignees: {
    type: "array",
    description: "Who has how much, whatever the filters; empty for readers who do not own the report.",
    items: members({
      ...holder,
      assignee: { type: ["string", "null"], description: "null for what nobody has." },
      holder: { type: ["string", "null"], enum: [...holderKinds, null] },
      state: { type: "string", enum: assignmentStates },
      due_on: {
        type: ["string", "null"],
        description: "The last of the days by which it is mended; null without any.",
      },
      causes: count,
      how_many: count,
    }),
  },
  left_out: members(
    { causes: count, how_many: count },
    { description: "Causes that are only counted: at most 2,000 of a report are listed." },
  ),
} as const;

/** Members of the meta of a list of components, for sentences such as "5 changes fix 575 of 640 findings." */
export const componentMeta = {
  how_many: { ...count, description: "Elements of all components." },
  largest: {
    type: "array",
    items: members({ components: count, how_many: count }),
    description:
      "How many elements the largest components have together: those of the largest one, of the two largest ones, and so on. Fixing the first five fixes this many of how_many.",
  },
} as const;
