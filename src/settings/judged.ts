import { gateSchema } from "./gate.ts";
import type { OptionOfCheck, Setting } from "./setting.ts";
import { flag } from "./values.ts";

function limit<const More extends Partial<OptionOfCheck>>(text: string, more?: More) {
  return { option: { value: "n", text, after: "failOn", ...more } } as const;
}

/** How the report is judged, who finds it, and how it is ended. */
export const judged = {
  gate: {
    text: gateSchema.description,
    schema: { ...gateSchema, default: {} },
    series: false,
    nullMeans: "no gate",
    members: {
      maxErrors: limit("maximum number of errors"),
      maxWarnings: limit("maximum number of warnings"),
      maxNewErrors: limit("maximum number of new errors: those that the baseline does not have"),
      maxNewWarnings: limit("maximum number of new warnings: those that the baseline does not have"),
      minImpact: limit("limits do not count accessibility findings below this impact", { value: "impact" }),
      failOnFailedPages: limit("make the exit code 1 if a page could not be checked"),
      requireComplete: limit("make the exit code 1 if something of the site was left out", {
        name: "failOnIncomplete",
      }),
    },
    example: { maxErrors: 3 },
  },
  shared: {
    text: "Make the report and everything below it readable without credentials.",
    schema: flag(false),
    series: false,
    access: { change: true },
    form: { group: "keeping", label: "Share the results: everybody who has the link can read them", after: "tags" },
  },
  tags: {
    text: "Categories to find reports by.",
    schema: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 100, pattern: "^[^,\\n]+$" },
      maxItems: 50,
      default: [],
    },
    series: false,
    list: "commas",
    words: "a text without commas and line breaks",
    access: { change: true },
    form: { group: "keeping", label: "Tags", help: "Separated by commas." },
    example: ["shop"],
  },
  baseId: {
    text: "Id of the report to compare this one with when it ends; its gate judges new findings by this comparison. By default it is the newest earlier complete report with the same starting URL and settings or, for a schedule's report, the schedule's previous one.",
    schema: { type: "string", maxLength: 36, pattern: "^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$", default: "" },
    series: false,
    // Each report of a schedule is compared with the one before it, and cancelled on its own.
    schedule: false,
    words: "a UUID in lower case",
    example: "0b9b2b9e-1f5b-4a55-9c39-5a0f3b8f9d10",
  },
  cancelled: {
    text: "End the report early and keep its results so far: the crawl stops, and unfinished checks fail with the code cancelled. This cannot be undone, and has no effect on a report that has ended.",
    schema: flag(false),
    series: false,
    schedule: false,
    // Only an existing report can be cancelled.
    access: { create: false, change: true },
  },
} as const satisfies Record<string, Setting>;
