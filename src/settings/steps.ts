import { glob } from "./values.ts";

/** How many steps somebody may give at once. */
export const MAX_STEPS = 50;

const MAX_PREPARATIONS = 5;
const MAX_STATES = 10;

/** Each step has more than its type, as `readSteps` reads it. */
const stepsProperty = {
  type: "array",
  minItems: 1,
  maxItems: MAX_STEPS + 10,
  items: {
    type: "object",
    required: ["type"],
    properties: {
      type: { type: "string", maxLength: 30, description: "What is done, such as click." },
      optional: {
        type: "boolean",
        description: "Whether the step is passed by if it cannot be done within its time, such as closing a banner.",
      },
    },
    "x-kubernetes-preserve-unknown-fields": true,
  },
  description:
    'Steps of Chrome\'s DevTools Recorder, such as {type: click, selectors: [["#menu"]]}. The page is loaded before the first one, so a navigate at the start is left out, and so is every setViewport.',
} as const;

/** What recordings have besides their steps. */
const recorded = {
  title: { type: "string", maxLength: 500, description: "The recording's title; only for people." },
  selectorAttribute: { type: "string", maxLength: 100, description: "Of recordings; it is not used." },
  timeout: {
    type: "number",
    minimum: 1,
    maximum: 30_000,
    description: "Of recordings: milliseconds for each step that has no timeout of its own.",
  },
} as const;

const urlProperty = {
  ...glob,
  description: "A glob of the URLs of pages on which this is done, as in includeGlobs; every page without one.",
} as const;

export const prepareSchema = {
  type: "array",
  maxItems: MAX_PREPARATIONS,
  items: {
    type: "object",
    required: ["steps"],
    additionalProperties: false,
    properties: { url: urlProperty, steps: stepsProperty, ...recorded },
  },
} as const;

export const statesSchema = {
  type: "array",
  maxItems: MAX_STATES,
  items: {
    type: "object",
    required: ["name", "steps"],
    additionalProperties: false,
    properties: {
      name: {
        type: "string",
        maxLength: 40,
        pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
        description: "How the state is called, such as menu-open: lower case letters, digits and hyphens.",
      },
      url: urlProperty,
      steps: stepsProperty,
      ...recorded,
    },
  },
} as const;

export const waitForSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    selector: { type: "string", maxLength: 500, description: "A selector of an element that has to be visible." },
    text: { type: "string", maxLength: 500, description: "A text that the page has to show." },
    seconds: {
      type: "integer",
      minimum: 1,
      maximum: 60,
      description:
        "How long to wait for both; 10 by default. A page without them is checked as it is then, with the notice not_ready.",
    },
  },
} as const;

export const hideSchema = {
  type: "array",
  items: { type: "string", minLength: 1, maxLength: 500 },
  maxItems: 50,
} as const;
