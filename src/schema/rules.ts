import {
  type CheckKind,
  checkKinds,
  kindsThat,
  manifestOf,
  namesOf,
  type Performs,
  performedKinds,
} from "../checks/kinds.ts";
import { MAX_INITIAL_CHARACTERS } from "../settings/values.ts";
import type { ReportSpec } from "./report.ts";

/**
 * A rule over more than one field. `cel` is copied into the CRD (x-kubernetes-validations on
 * spec), and `holds` is the same rule for API requests; a test compares the two on a real
 * API server.
 */
export type SpecRule<Spec> = {
  name: string;
  /** The field to name in an error: a property of the spec. */
  field: keyof Spec & string;
  /** If the field is an object, the name of the property to name in an error. */
  property?: string;
  message: string;
  /** The code of the API's error; "inconsistent" if not given. */
  code?: "too_long";
  cel: string;
  holds: (spec: Spec) => boolean;
};

type Target = Pick<
  ReportSpec,
  | "initialUrls"
  | "followHashRoutes"
  | "dynamicCrawler"
  | "states"
  | "devices"
  | "hide"
  | keyof Performs
  | "storeIncompleteChecks"
  | "a11yDepth"
  | "basicAuthId"
  | "basicAuthSecret"
  | "gate"
>;

const performSettings = checkKinds.map((kind) => manifestOf(kind).settings.perform);
const reviewed = oneOf(kindsThat(({ settings }) => settings.incomplete !== undefined));
const acted = oneOf(kindsThat(({ settings }) => settings.depth !== undefined));
const rendered = oneOf(kindsThat(({ needs }) => needs !== "source"));
const inBrowser = oneOf(kindsThat(({ needs }) => needs === "browser"));
const rated = oneOf(kindsThat(({ hasImpact }) => hasImpact));
const unrated = namesOf(kindsThat(({ hasImpact }) => !hasImpact));
const limits = ["maxErrors", "maxWarnings", "maxNewErrors", "maxNewWarnings"] as const;

/** Rules of every spec that describes a run: Report and Schedule. */
export const targetRules: readonly SpecRule<Target>[] = [
  {
    name: "initial-urls-together",
    field: "initialUrls",
    message: `initialUrls have more than ${MAX_INITIAL_CHARACTERS} characters in total. Give the URL of a sitemap that lists them instead.`,
    code: "too_long",
    cel: `self.initialUrls.join().size() <= ${MAX_INITIAL_CHARACTERS}`,
    holds: ({ initialUrls }) => initialUrls.reduce((sum, url) => sum + charactersOf(url), 0) <= MAX_INITIAL_CHARACTERS,
  },
  {
    name: "some-engine",
    field: manifestOf(checkKinds[0]).settings.perform,
    message: `${performSettings.join(" and ")} cannot ${performSettings.length > 2 ? "all" : "both"} be false: there would be nothing to check.`,
    cel: performSettings.map((setting) => `self.${setting}`).join(" || "),
    holds: (spec) => performedKinds(spec).length > 0,
  },
  {
    name: "incomplete-needs-a11y",
    field: "storeIncompleteChecks",
    message: `storeIncompleteChecks requires ${reviewed.settings}.`,
    cel: `!self.storeIncompleteChecks || ${reviewed.cel}`,
    holds: (spec) => !spec.storeIncompleteChecks || reviewed.isPerformed(spec),
  },
  {
    name: "acting-needs-a11y",
    field: "a11yDepth",
    message: `a11yDepth acting requires ${acted.settings}.`,
    cel: `self.a11yDepth == 'static' || ${acted.cel}`,
    holds: (spec) => spec.a11yDepth === "static" || acted.isPerformed(spec),
  },
  {
    name: "hash-routes-need-dynamic",
    field: "followHashRoutes",
    message: "followHashRoutes requires dynamicCrawler: only a browser opens what is behind a #.",
    cel: "!self.followHashRoutes || self.dynamicCrawler",
    holds: (spec) => !spec.followHashRoutes || spec.dynamicCrawler,
  },
  {
    name: "hash-routes-need-checks",
    field: "followHashRoutes",
    message: `followHashRoutes requires ${rendered.settings}: the source of what is behind a # is that of its page.`,
    cel: `!self.followHashRoutes || ${rendered.cel}`,
    holds: (spec) => !spec.followHashRoutes || rendered.isPerformed(spec),
  },
  ...(["states", "devices", "hide"] as const).map((field) => ({
    name: `${field}-need-a11y`,
    field,
    message: `${field} requires ${inBrowser.settings}: only these checks look at a page in a browser.`,
    cel: `self.${field}.size() == 0 || ${inBrowser.cel}`,
    holds: (spec: Target) => spec[field].length === 0 || inBrowser.isPerformed(spec),
  })),
  {
    name: "one-basic-auth",
    field: "basicAuthId",
    message: "basicAuthId and basicAuthSecret cannot both be given: a report uses one set of credentials.",
    cel: "self.basicAuthId == '' || self.basicAuthSecret == ''",
    holds: (spec) => spec.basicAuthId === "" || spec.basicAuthSecret === "",
  },
  {
    name: "min-impact-with-limit",
    field: "gate",
    property: "minImpact",
    message:
      "gate.minImpact requires maxErrors, maxWarnings, maxNewErrors or maxNewWarnings: it sets which findings they count.",
    cel: `!has(self.gate.minImpact) || ${limits.map((name) => `has(self.gate.${name})`).join(" || ")}`,
    holds: ({ gate }) => gate.minImpact === undefined || limits.some((name) => gate[name] !== undefined),
  },
  {
    name: "min-impact-needs-a11y",
    field: "gate",
    property: "minImpact",
    message: `gate.minImpact requires ${rated.settings}: ${unrated} findings have no impact.`,
    cel: `!has(self.gate.minImpact) || ${rated.cel}`,
    holds: (spec) => spec.gate.minImpact === undefined || rated.isPerformed(spec),
  },
];

/** For a setting which requires that one of these kinds of checks is performed. */
function oneOf(kinds: readonly CheckKind[]) {
  const settings = kinds.map((kind) => manifestOf(kind).settings.perform);
  return {
    settings: settings.join(" or "),
    cel: settings.map((setting) => `self.${setting}`).join(" || "),
    isPerformed: (spec: Performs) => settings.some((setting) => spec[setting]),
  };
}

/** Counts code points, as CEL does. */
function charactersOf(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
