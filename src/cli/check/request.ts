import { isIP } from "node:net";
import type { Errors } from "../../api/documents.ts";
import { checkKinds, manifestOf, namedByKind, needsBrowser, nounOf } from "../../checks/kinds.ts";
import { isThisMachine } from "../../net/report-policy.ts";
import { isActing } from "../../schema/a11y-depths.ts";
import { snakeCase } from "../../schema/api-names.ts";
import type { CheckOptions } from "./options/options.ts";

/** The options of `check` by the API's attribute names, for error messages. */
const optionNames: Readonly<Record<string, string>> = {
  starting_url: "<target>",
  initial_urls: "<target>",
  active_deadline_seconds: "--timeout",
  max_pages: "--max-pages",
  rate_limit: "--rate-limit",
  ...namedByKind<Record<string, string>>((kind) => [
    `perform_${nounOf(kind)}_checks`,
    manifestOf(kind).byDefault.report ? `--no-${kind}` : `--${kind}`,
  ]),
  html_engine: "--html-engine",
  dynamic_crawler: "--dynamic",
  deep_crawl: "--no-deep",
  same_site: "--same-site",
  exclusions: "--exclude",
  include_globs: "--include",
  exclude_globs: "--exclude-glob",
  include_links: "--include-links",
  exclude_links: "--exclude-links",
  follow_frames: "--no-follow-frames",
  follow_hash_routes: "--follow-hash-routes",
  use_sitemaps: "--use-sitemaps",
  respect_robots: "--respect-robots",
  visit_actions: "--visit-actions",
  visit_forms: "--no-visit-forms",
  allow_posts: "--allow-posts",
  ignored_parameters: "--ignored-parameters",
  page_timeout_seconds: "--page-timeout",
  sign_in_seconds: "--sign-in-timeout",
  sign_in_tries: "--sign-in-tries",
  username: "--basic-auth",
  password: "SITE_PASSWORD",
  headers: "--header",
  user_agent: "--user-agent",
  device_id: "--device",
  devices: "--device",
  device_rotated: "--rotated",
  prepare: "--prepare",
  states: "--states",
  wait_for: "--wait-for",
  hide: "--hide",
  standard: "--standard",
  a11y_depth: "--a11y-depth",
  "gate/max_errors": "--max-errors",
  "gate/max_warnings": "--max-warnings",
  "gate/max_new_errors": "--max-new-errors",
  "gate/max_new_warnings": "--max-new-warnings",
  "gate/min_impact": "--min-impact",
  "gate/fail_on_failed_pages": "--fail-on-failed-pages",
  "gate/require_complete": "--fail-on-incomplete",
};

/** A text that names attributes of the API, with the options in their place. */
export function inOptions(text: string): string {
  return text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) =>
    name === "initial_urls" ? "further targets" : (optionNames[name] ?? name),
  );
}

/** The ids of what was looked up or stored for the report; "" for none. */
export type Created = { deviceId: string; devices?: readonly string[]; baseId?: string; basicAuthId?: string };

/**
 * The attributes of the report to create.
 *
 * @param urls where the crawl begins, at least one
 */
export function reportAttributes(
  options: CheckOptions,
  [startingUrl = "", ...initialUrls]: readonly string[],
  { deviceId, devices = [], baseId = "", basicAuthId = "" }: Created,
): Record<string, unknown> {
  const local = isThisMachine(new URL(startingUrl).hostname);
  return {
    starting_url: startingUrl,
    initial_urls: initialUrls.join("\n"),
    max_pages: options.maxPages,
    ...(options.rateLimit !== undefined || local ? { rate_limit: options.rateLimit ?? 0 } : {}),
    ...namedByKind((kind) => [`perform_${nounOf(kind)}_checks`, options[kind]]),
    html_engine: options.htmlEngine,
    dynamic_crawler: options.dynamic,
    deep_crawl: options.deep,
    active_deadline_seconds: options.timeout,
    same_site: options.sameSite,
    exclusions: options.exclude.join("\n"),
    include_globs: options.include.join("\n"),
    exclude_globs: options.excludeGlob.join("\n"),
    include_links: options.includeLinks.join("\n"),
    exclude_links: options.excludeLinks.join("\n"),
    follow_frames: options.followFrames,
    follow_hash_routes: options.followHashRoutes,
    use_sitemaps: options.useSitemaps,
    respect_robots: options.respectRobots,
    visit_actions: options.visitActions,
    visit_forms: options.visitForms,
    allow_posts: options.allowPosts.join("\n"),
    ignored_parameters: options.ignoredParameters?.join(",") ?? null,
    page_timeout_seconds: options.pageTimeout,
    sign_in_seconds: options.signInTimeout,
    sign_in_tries: options.signInTries,
    device_id: deviceId,
    devices,
    base_id: baseId,
    basic_auth_id: basicAuthId,
    device_rotated: options.rotated,
    prepare: options.prepare,
    states: options.states,
    wait_for: options.waitFor,
    hide: options.hide,
    user_agent: options.userAgent ?? null,
    ...(checkKinds.some((kind) => options[kind] && manifestOf(kind).hasStandards) && { standard: options.standard }),
    a11y_depth: options.a11yDepth,
    // Most of what acting finds is for a person to review.
    ...(isActing(options.a11yDepth) && { store_incomplete_checks: true }),
    // The file shows the elements, where a check has their page open in a browser anyway.
    ...(options.report !== undefined &&
      checkKinds.some((kind) => options[kind] && needsBrowser(kind)) && { store_screenshot: true }),
    gate: Object.fromEntries(Object.entries(options.gate).map(([name, value]) => [snakeCase(name), value])),
  };
}

/**
 * The private networks that the user allows by naming them: this machine, or a single address. A host
 * name allows none, because it may resolve to any address.
 */
export function networksOfHost(hostname: string): string[] {
  if (isThisMachine(hostname)) return ["127.0.0.0/8", "::1/128"];
  const address = hostname.replace(/^\[|\]$/g, "");
  const version = isIP(address);
  return version === 0 ? [] : [`${address}/${version === 4 ? 32 : 128}`];
}

/** The hosts of `--resolve` with their addresses. */
export function givenAddresses(resolve: readonly string[]): { host: string; address: string }[] {
  return resolve.flatMap((text) => {
    const [, host = "", address = ""] = /^([^:]+):(?:(?:\d{1,5}|\*):)?\[?([^\]]+)\]?$/.exec(text) ?? [];
    return [{ host: host.toLowerCase(), address }];
  });
}

/** An error of the API with the option's name instead of the attribute's: `--max-pages: …`. */
export function describeError({ detail, source }: Pick<Errors["errors"][number], "detail" | "source">): string {
  const attribute = /^\/data\/attributes\/([a-z_0-9]+(?:\/[a-z_0-9]+)?)/.exec(
    source && "pointer" in source ? source.pointer : "",
  )?.[1];
  if (!attribute) return detail;
  const option = optionNames[attribute] ?? optionNames[attribute.split("/")[0] ?? ""] ?? attribute;
  return `${option}: ${detail}`;
}
