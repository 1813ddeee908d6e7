import { snakeCase } from "../../../schema/api-names.ts";
import { parts, rows } from "../../../settings/index.ts";
import type { FormField } from "../../../settings/setting.ts";
import { counted, formatNumber } from "./numbers.ts";

/** What people call the settings by which runs can be compared, by the API's names. */
const settings: Readonly<Record<string, string>> = Object.fromEntries(
  rows.flatMap(({ name, setting: { series } }) => (series ? [[snakeCase(name), series]] : [])),
);

/** The fields of settings, by the API's names; those of members, such as `wait_for.text`, too. */
const fields: Readonly<Record<string, FormField>> = Object.fromEntries(
  parts.flatMap(({ path, form }) => (form ? [[path.map(snakeCase).join("."), form]] : [])),
);

/** The fields that the forms of reports and schedules share. */
export const crawlFormTexts = {
  settings,
  fields,
  switches: { on: "yes", off: "no" },
  crawlForm: {
    checks: "Checks",
    what: "What to check",
    once: "once",
    scheduled: "on a schedule",
    howOften: "How often",
    happens: "What will happen",
    looks: (pages: number) => `It looks for pages, at most ${formatNumber(pages)}.`,
    looksWithoutLimit: "It looks for all pages.",
    opens: (rate: number) =>
      `It opens each of them and checks it${rate > 0 ? `, with at most ${counted(rate, "request")} a second` : ""}`,
    about: (time: string) => `: about ${time} or more.`,
    sees: "You see findings while it runs, and then what to fix first.",
    uses: (credits: number) => `It uses up to ${counted(credits, "credit")}: one for each check of a page.`,
    usesOf: (credits: number, left: number) =>
      `It uses up to ${counted(credits, "credit")} of the ${formatNumber(left)} that are left this month: one for each check of a page.`,
    scope: "Scope",
    allLinks: "follows all links",
    firstLinks: "only the links of the first page",
    leavesOut: "leaves out parts",
    perSecond: (n: number) => `${n} requests a second`,
    steps: "Sign-in and steps",
    noSteps: "none",
    withSteps: "steps on pages",
    results: "Limits and results",
    noLimits: "no limits",
    atMost: (n: string, what: string) => `${n} ${what}`,
    none: (what: string) => `no ${what}`,
    toCorrect: "to be corrected",
    gate: "The run passes with at most",
    gateWhat: "Empty fields set no limit; without any limit, a run is not judged.",
    minImpact: "Accessibility findings count from",
    minImpactHelp: "It needs one of the limits above.",
    anyImpact: "any impact",
    failOnFailedPages: "Pages that could not be checked make it fail",
    requireComplete: "Anything of the site that was left out makes it fail",
    visiting: "What is visited",
    doing: "What is done on a page before it is checked",
    browser: "How pages are loaded and checked",
    noCredentials: "None",
    credentialsOf: (username: string | null, host: string) => (username === null ? host : `${username} at ${host}`),
    device: (name: string, width: number, height: number) => `${name}, ${width} × ${height}`,
    keeping: "What is kept",
  },
};
