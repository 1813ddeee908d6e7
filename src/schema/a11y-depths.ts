import { settings } from "../settings/index.ts";

/**
 * How far accessibility checks go: with what can be read of a page, or also with what somebody who uses it meets; that on a
 * few pages of each template, or on every page.
 */
export const a11yDepths = settings.a11yDepth.schema.enum;
export type A11yDepth = (typeof a11yDepths)[number];

export const defaultA11yDepth = settings.a11yDepth.schema.default;

/** Whether pages are used, and not only read. */
export function isActing(depth: A11yDepth): boolean {
  return depth !== "static";
}
