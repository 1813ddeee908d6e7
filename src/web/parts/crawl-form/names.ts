import { checkKinds, nounOf } from "../../../checks/kinds.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import { gateSchema } from "../../../schema/gate.ts";

/** Of each kind of check. */
export const performNames = checkKinds.map((kind) => `perform_${nounOf(kind)}_checks`);
export const storeRawNames = checkKinds.map((kind) => `store_raw_${nounOf(kind)}_checks`);

/** The fields that define what is crawled and checked, by the names of the API's attributes, in the form's groups. */
export const crawlNames = {
  always: ["starting_url", "max_pages", ...performNames, "standard", "a11y_depth"],
  scope: [
    ...[
      "rate_limit",
      "include_globs",
      "exclude_globs",
      "include_links",
      "exclude_links",
      "follow_frames",
      "follow_hash_routes",
      "same_site",
      "use_sitemaps",
      "ignored_parameters",
      "page_timeout_seconds",
    ],
    ...[
      "initial_urls",
      "exclusions",
      "deep_crawl",
      "prefer_canonical_urls",
      "dynamic_crawler",
      "respect_robots",
      "visit_forms",
    ],
    ...["visit_actions", "allow_posts"],
    ...["active_deadline_seconds", "device_id", "devices", "device_rotated", "html_engine"],
  ],
  steps: [
    "basic_auth_id",
    "sign_in_seconds",
    "sign_in_tries",
    "prepare",
    "states",
    "wait_for.selector",
    "wait_for.text",
    "wait_for.seconds",
    "hide",
  ],
  gate: Object.keys(gateSchema.properties).map((name) => `gate.${snakeCase(name)}`),
  keeping: ["store_screenshot", "store_incomplete_checks", ...storeRawNames, "tags", "shared"],
} as const satisfies Record<string, readonly string[]>;

export const allCrawlNames: readonly string[] = Object.values(crawlNames).flat();
