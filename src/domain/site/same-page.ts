import { PageError } from "../failure.ts";
import { normaliseUrl } from "./url-scope.ts";

/**
 * What is found on a page must not be stored under an address that only leads there.
 *
 * @param settings.ignoredParameters those that do not make another page
 * @throws PageError for a redirect to another page
 */
export function requireSamePage(
  url: string,
  asked: string,
  { ignoredParameters }: { ignoredParameters: readonly string[] },
): void {
  const names = ignoredParameters.map((name) => name.toLowerCase());
  // A browser may prefer https.
  const address = (of: string): string => normaliseUrl(of, names).replace(/^https?:/, "");
  if (address(url) === address(asked)) return;
  throw new PageError("redirected", `${asked} redirects to another page: ${url}.`);
}
