import { isIP } from "node:net";
import type { Errors } from "../../api/documents.ts";
import { checkKinds, manifestOf, needsBrowser } from "../../checks/kinds.ts";
import { isThisMachine } from "../../domain/addresses/this-machine.ts";
import { impliedBy } from "../../schema/a11y-depths.ts";
import { snakeCase } from "../../schema/api-names.ts";
import type { CheckOptions } from "./options/options.ts";
import { flagOf, options } from "./options/options-schema.ts";

/** The options of `check` by the API's attribute names, for error messages. */
const optionNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    options.flatMap(({ name, path, default: byDefault }) => {
      const flag = flagOf(name);
      return path ? [[path.map(snakeCase).join("/"), byDefault === true ? flag.replace("--", "--no-") : flag]] : [];
    }),
  ),
  ...{ starting_url: "<target>", initial_urls: "<target>", device_id: "--device" },
  ...{ username: "--basic-auth", password: "SITE_PASSWORD", headers: "--header" },
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
  given: CheckOptions,
  [startingUrl = "", ...initialUrls]: readonly string[],
  { deviceId, devices = [], baseId = "", basicAuthId = "" }: Created,
): Record<string, unknown> {
  const { standard, ...attributes } = Object.fromEntries(
    options.flatMap(({ name, path }) => {
      const value = path?.length === 1 ? given[name as keyof CheckOptions] : undefined;
      return value === undefined ? [] : [[snakeCase(path?.[0] ?? ""), trimmed(value)]];
    }),
  );
  return {
    ...attributes,
    ...(given.rateLimit === undefined && isThisMachine(new URL(startingUrl).hostname) && { rate_limit: 0 }),
    ...{ starting_url: startingUrl, initial_urls: initialUrls },
    ...{ device_id: deviceId, devices, base_id: baseId, basic_auth_id: basicAuthId },
    ...(checkKinds.some((kind) => given[kind] && manifestOf(kind).hasStandards) && { standard }),
    ...impliedBy(given.a11yDepth),
    // The file shows the elements, where a check has their page open in a browser anyway.
    ...(given.report !== undefined &&
      checkKinds.some((kind) => given[kind] && needsBrowser(kind)) && { store_screenshot: true }),
    gate: Object.fromEntries(Object.entries(given.gate).map(([name, value]) => [snakeCase(name), value])),
  };
}

/** Lists without the spaces around their texts, with which nothing would agree. */
function trimmed(value: unknown): unknown {
  return Array.isArray(value) ? value.map((one) => (typeof one === "string" ? one.trim() : one)) : value;
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
