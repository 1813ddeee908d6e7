import { parse } from "yaml";
import { stepEntries, withoutSourceMap } from "../../../schema/steps.ts";
import { given, numberIn, textIn } from "../../fields.ts";
import type { Fields } from "../../page.ts";
import { crawlNames, performNames, storeRawNames } from "./names.ts";

const numbers = ["max_pages", "rate_limit", "page_timeout_seconds", "active_deadline_seconds"];
const texts = [
  ...["starting_url", "standard", "a11y_depth", "html_engine", "initial_urls", "exclusions"],
  ...[
    "include_globs",
    "exclude_globs",
    "include_links",
    "exclude_links",
    "allow_posts",
    "ignored_parameters",
    "tags",
    "hide",
    "same_site",
  ],
];
/** Lists of steps, as YAML or JSON. */
const steps = ["prepare", "states"];
/** Ids of other resources: an empty choice means none. */
const references = ["basic_auth_id", "device_id"];
const flags = [
  ...[...performNames, ...storeRawNames, "deep_crawl", "prefer_canonical_urls", "dynamic_crawler"],
  ...[
    "follow_frames",
    "follow_hash_routes",
    "use_sitemaps",
    "respect_robots",
    "visit_forms",
    "visit_actions",
    "device_rotated",
    "store_screenshot",
    "store_incomplete_checks",
    "shared",
  ],
];

const gateFlags = ["gate.fail_on_failed_pages", "gate.require_complete"];

/** The API's attributes of a report, which a schedule has too, for what was filled in. */
export function crawlAttributes(fields: Fields): Record<string, unknown> {
  const read = (names: readonly string[], value: (name: string) => unknown) =>
    Object.fromEntries(names.map((name) => [name, value(name)]));
  return given({
    ...read(texts, (name) => textIn(fields, name)),
    ...read(numbers, (name) => numberIn(fields, name)),
    ...read(references, (name) => (fields.get(name) === "" ? null : textIn(fields, name))),
    ...read(flags, (name) => fields.has(name)),
    ...read(steps, (name) => stepsIn(textIn(fields, name))),
    // A form without a chosen one has no such field.
    ...(fields.has("device_id") && { devices: fields.getAll("devices") }),
    wait_for: waitOf(fields),
    // Most of what acting finds is for a person to review.
    ...(/^acting/.test(fields.get("a11y_depth") ?? "") && { store_incomplete_checks: true }),
    gate: gateOf(fields),
  });
}

/** Steps or states, as YAML or JSON. What cannot be read stays text, for the API to refuse. */
export function stepsIn(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return text === "" ? [] : stepEntries(parse(withoutSourceMap(text), { logLevel: "error" }));
  } catch {
    return text;
  }
}

/** What is waited for; null for nothing. */
function waitOf(fields: Fields): Record<string, unknown> | null | undefined {
  if (!fields.has("wait_for.selector")) return undefined;
  const wanted = {
    selector: textIn(fields, "wait_for.selector") || undefined,
    text: textIn(fields, "wait_for.text") || undefined,
    seconds: numberIn(fields, "wait_for.seconds") || undefined,
  };
  return Object.values(wanted).some((one) => one !== undefined) ? given(wanted) : null;
}

/** The conditions that are filled in; null without any. */
function gateOf(fields: Fields): Record<string, unknown> | null {
  const conditions = crawlNames.gate.flatMap((name): [string, unknown][] => {
    const value = gateFlags.includes(name) ? fields.has(name) || undefined : numberIn(fields, name);
    return value === undefined || value === "" ? [] : [[name.replace("gate.", ""), value]];
  });
  return conditions.length === 0 ? null : Object.fromEntries(conditions);
}
