import { isIP } from "node:net";
import type { CheckOptions } from "./options.ts";

/** The options of `check` that the API knows under another name: for its error messages. */
const optionNames: Readonly<Record<string, string>> = {
  starting_url: "<url>",
  max_pages: "--max-pages",
  rate_limit: "--rate-limit",
  perform_html_checks: "--no-html",
  perform_a11y_checks: "--a11y",
  dynamic_crawler: "--dynamic",
  deep_crawl: "--no-deep",
  exclusions: "--exclude",
  device_id: "--device",
  device_rotated: "--rotated",
};

/** The attributes of the report that the options ask for. */
export function reportAttributes(options: CheckOptions, deviceId: string): Record<string, unknown> {
  const local = isThisMachine(new URL(options.url).hostname);
  return {
    starting_url: options.url,
    max_pages: options.maxPages,
    ...(options.rateLimit !== undefined || local ? { rate_limit: options.rateLimit ?? 0 } : {}),
    perform_html_checks: options.html,
    perform_a11y_checks: options.a11y,
    dynamic_crawler: options.dynamic,
    deep_crawl: options.deep,
    exclusions: options.exclude.join("\n"),
    device_id: deviceId,
    device_rotated: options.rotated,
  };
}

/** True for names and addresses of the machine itself: there is nobody to be polite to. */
export function isThisMachine(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d+){3}$/.test(name);
}

/**
 * The networks that may be visited although they are not public, because the user
 * named them: this machine, or one address. A name is no permission for wherever it leads.
 */
export function networksOf(hostname: string): string[] {
  if (isThisMachine(hostname)) return ["127.0.0.0/8", "::1/128"];
  const address = hostname.replace(/^\[|\]$/g, "");
  const version = isIP(address);
  return version === 0 ? [] : [`${address}/${version === 4 ? 32 : 128}`];
}

/** An error of the API in the words of the command line: `--max-pages: …`. */
export function inOptions(error: { detail?: string; title?: string; source?: { pointer?: string } }): string {
  const attribute = /^\/data\/attributes\/([a-z_0-9]+)/.exec(error.source?.pointer ?? "")?.[1];
  const text = error.detail ?? error.title ?? "unknown error";
  if (!attribute) return text;
  const option = optionNames[attribute] ?? attribute;
  return `${option}: ${text}`;
}
