import { type CheckKind, manifestOf, type Performs, performedKinds } from "../../checks/kinds.ts";

/**
 * The kind of check that takes a report's screenshots; undefined if it asks for none. Checks in a browser have the page
 * open anyway; without them, others take the screenshots.
 */
export function screenshotKind(spec: { storeScreenshot: boolean } & Performs): CheckKind | undefined {
  if (!spec.storeScreenshot) return undefined;
  const kinds = performedKinds(spec);
  return kinds.find((kind) => manifestOf(kind).needs === "browser") ?? kinds[0];
}
