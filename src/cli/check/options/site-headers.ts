import { UsageError } from "../../../domain/errors.ts";
import {
  cookiesOf,
  type HeaderFault,
  headerFaults,
  parseHeaderLine,
  type SiteHeader,
} from "../../../domain/headers/site-headers.ts";

/** Texts by name, as a configuration file has headers and cookies. */
export type Named = Readonly<Record<string, string>>;

/** A variable of the environment in a value, or a dollar sign. */
const VARIABLE = /\$(?:(\$)|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/**
 * The values of `--header`, as a configuration file has them. They are secrets, so messages do not repeat them.
 *
 * @throws UsageError that says which one is wrong
 */
export function headersOfLines(lines: readonly string[]): Named {
  const headers: Record<string, string> = {};
  for (const [index, line] of lines.entries()) {
    const header = parseHeaderLine(line);
    if (!header) throw new UsageError(`--header number ${index + 1} has no colon; it must be "Name: value".`);
    const [fault] = faultsOfHeaders({ [header.name]: header.value });
    if (fault) throw new UsageError(`--header number ${index + 1}: ${fault.text}.`);
    if (Object.keys(headers).some((name) => name.toLowerCase() === header.name.toLowerCase()))
      throw new UsageError(`--header gives ${header.name} twice: a header has one value.`);
    headers[header.name] = header.value;
  }
  return headers;
}

/**
 * The values of `--cookie`, each with one or more pairs, as a configuration file has them.
 *
 * @throws UsageError that says which one is wrong
 */
export function cookiesOfPairs(values: readonly string[]): Named {
  const cookies: Record<string, string> = {};
  for (const [index, value] of values.entries())
    for (const cookie of cookiesOf(value)) {
      const [fault] = faultsOfCookies({ [cookie.name]: cookie.value });
      if (fault) throw new UsageError(`--cookie number ${index + 1} must be "name=value": ${fault.text}.`);
      if (Object.hasOwn(cookies, cookie.name)) throw new UsageError(`--cookie gives ${cookie.name} twice.`);
      cookies[cookie.name] = cookie.value;
    }
  return cookies;
}

/** What is wrong with headers as given; of those whose values have variables, only the names are checked. */
export function faultsOfHeaders(headers: Named): HeaderFault[] {
  return headerFaults(
    Object.entries(headers).map(([name, value]) => ({ name, value: value.includes("$") ? "a=b" : value })),
    false,
  );
}

/** What is wrong with each cookie alone; `index` is its place. */
export function faultsOfCookies(cookies: Named): HeaderFault[] {
  return Object.entries(cookies).flatMap(([name, value], index) => {
    // A cookie with several pairs would be several cookies.
    const pair = `${name}=${value.replaceAll("$", "x")}`;
    const text = "a cookie has a name without spaces, and a value of printable ASCII without semicolons";
    const isWrong =
      /[;=]/.test(name) || value.includes(";") || headerFaults([{ name: "Cookie", value: pair }], false).length > 0;
    return isWrong ? [{ index, member: "name", code: "invalid_format", text } as const] : [];
  });
}

/** The variables of the environment that the values use. */
export function variablesOf(...named: readonly Named[]): string[] {
  const texts = named.flatMap((one) => Object.values(one));
  return texts.flatMap((text) => [...text.matchAll(VARIABLE)].flatMap(([, , braced, plain]) => braced ?? plain ?? []));
}

/**
 * The headers that are sent to the site, with the environment's variables inserted.
 *
 * @throws UsageError that says what is wrong, without any value
 */
export function siteHeaders(
  { headers, cookies, basicAuth }: { headers: Named; cookies: Named; basicAuth?: string | undefined },
  environment: NodeJS.ProcessEnv,
): SiteHeader[] {
  const list = Object.entries(headers).map(([name, value]) => ({
    name,
    value: filled(value, `--header ${name}`, environment),
  }));
  const pairs = Object.entries(cookies).map(
    ([name, value]) => `${name}=${filled(value, `--cookie ${name}`, environment)}`,
  );
  if (pairs.length > 0) {
    if (list.some(({ name }) => name.toLowerCase() === "cookie"))
      throw new UsageError("Cookies are given by --cookie and by --header Cookie. Use one of them.");
    list.push({ name: "Cookie", value: pairs.join("; ") });
  }
  const [fault] = headerFaults(list, basicAuth !== undefined);
  if (fault) throw new UsageError(`--header and --cookie: ${fault.text}.`);
  return list;
}

/** The text with the environment's variables inserted. @throws UsageError that names the variable */
export function filled(text: string, what: string, environment: NodeJS.ProcessEnv): string {
  return text.replace(VARIABLE, (_, dollar?: string, braced?: string, plain?: string) => {
    if (dollar) return "$";
    const name = braced ?? plain ?? "";
    const value = environment[name];
    if (value === undefined || value === "")
      throw new UsageError(
        `${what} uses $${name}, which is not set in the environment, or with --untrusted is not named by --variable ${name}. Write $$ for a dollar sign.`,
      );
    return value;
  });
}
