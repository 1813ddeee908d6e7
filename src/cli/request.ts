import { isIP } from "node:net";
import { isThisMachine } from "../net/report-policy.ts";
import type { CheckOptions } from "./options.ts";

/** The options of `check` by the API's attribute names, for error messages. */
const optionNames: Readonly<Record<string, string>> = {
  starting_url: "<url>",
  max_pages: "--max-pages",
  rate_limit: "--rate-limit",
  perform_html_checks: "--no-html",
  html_engine: "--html-engine",
  perform_a11y_checks: "--a11y",
  dynamic_crawler: "--dynamic",
  deep_crawl: "--no-deep",
  exclusions: "--exclude",
  device_id: "--device",
  device_rotated: "--rotated",
};

/** The attributes of the report to create. */
export function reportAttributes(options: CheckOptions, deviceId: string): Record<string, unknown> {
  const local = isThisMachine(new URL(options.url).hostname);
  return {
    starting_url: options.url,
    max_pages: options.maxPages,
    ...(options.rateLimit !== undefined || local ? { rate_limit: options.rateLimit ?? 0 } : {}),
    perform_html_checks: options.html,
    html_engine: options.htmlEngine,
    perform_a11y_checks: options.a11y,
    dynamic_crawler: options.dynamic,
    deep_crawl: options.deep,
    exclusions: options.exclude.join("\n"),
    device_id: deviceId,
    device_rotated: options.rotated,
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

/** An error of the API with the option's name instead of the attribute's: `--max-pages: …`. */
export function describeError(error: { detail?: string; title?: string; source?: { pointer?: string } }): string {
  const attribute = /^\/data\/attributes\/([a-z_0-9]+)/.exec(error.source?.pointer ?? "")?.[1];
  const text = error.detail ?? error.title ?? "unknown error";
  if (!attribute) return text;
  const option = optionNames[attribute] ?? attribute;
  return `${option}: ${text}`;
}
