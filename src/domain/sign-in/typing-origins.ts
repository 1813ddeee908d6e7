import type { Step } from "../../schema/steps.ts";
import { createMask } from "./known-secrets.ts";

/**
 * Says why nothing may be typed in a document, if that is so: passwords go only where the user has said that they go, and
 * never in clear once a sign-in has begun by https. Named are the addresses of `navigate`, those that a recording has seen
 * (`assertedEvents`), and `origins`.
 *
 * @returns a function from the document's URL to the reason, which says what to add; undefined where typing is allowed
 */
export function typingRule(
  steps: readonly Step[],
  origins: readonly string[] = [],
): (url: string) => string | undefined {
  const named = new Set(namedOrigins(steps, origins));
  const isSecure = beginsByHttps(steps);
  return (url) => {
    const { origin, protocol } = URL.parse(url) ?? {};
    if (origin === undefined || !/^https?:$/.test(protocol ?? ""))
      return "nothing is typed into a document without an address of its own";
    if (isSecure && protocol === "http:")
      return `nothing is typed on ${origin}, which would send it in clear: the sign-in began by https`;
    // The same host by https is what a site leads to that was named by http.
    const isUpgraded = protocol === "https:" && named.has(origin.replace(/^https:/, "http:"));
    if (named.has(origin) || isUpgraded) return undefined;
    return `nothing is typed on ${origin}, because the sign-in does not name it; if it belongs to the sign-in, add "origins": ${JSON.stringify([...origins, origin])} beside its steps`;
  };
}

/**
 * Says why a document may not be asked for: what was typed on pages by https may go on in clear, by a form or a redirect of one.
 *
 * @param typed what was typed so far
 * @returns a function from the document's URL and what is sent to it to the reason
 */
export function sendingRule(
  steps: readonly Step[],
  typed: ReadonlySet<string>,
): (url: string, sent: string) => string | undefined {
  if (!beginsByHttps(steps)) return () => undefined;
  return (url, sent) => {
    const { origin, protocol, search } = URL.parse(url) ?? {};
    if (protocol !== "http:") return undefined;
    const all = `${search}\n${sent}`;
    if (createMask([...typed].filter((value) => value !== ""))(all) === all) return undefined;
    return `what was typed is not sent to ${origin}, where it would go in clear: the sign-in began by https`;
  };
}

function beginsByHttps(steps: readonly Step[]): boolean {
  const first = steps.find((step) => step.type === "navigate");
  return first !== undefined && /^https:/i.test(first.url);
}

/** The origins where a sign-in leads by what the user has said. */
export function namedOrigins(steps: readonly Step[], origins: readonly string[] = []): string[] {
  const urls = steps.flatMap((step) => [
    ...(step.type === "navigate" ? [step.url] : []),
    ...(step.assertedEvents ?? []).flatMap(({ url }) => (url === undefined ? [] : [url])),
  ]);
  return [...urls, ...origins].flatMap((url) => URL.parse(url)?.origin ?? []);
}
