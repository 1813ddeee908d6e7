import { settings } from "../settings/index.ts";

export const defaultA11yDepth = settings.a11yDepth.schema.default;

/** Whether pages are used, and not only read. */
export function isActing(depth: string | undefined): boolean {
  return depth !== undefined && depth !== "static";
}

/**
 * What a command or a form asks for with a depth, by the API's names: most of what acting finds is for a person to review. A
 * client of the API says that by itself.
 */
export function impliedBy(depth: string | undefined): { store_incomplete_checks?: true } {
  return isActing(depth) ? { store_incomplete_checks: true } : {};
}
