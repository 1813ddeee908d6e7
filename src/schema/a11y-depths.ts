/** How far accessibility checks go: with what can be read of a page, or also with what somebody who uses it meets. */
export const a11yDepths = ["static", "acting"] as const;
export type A11yDepth = (typeof a11yDepths)[number];

export const defaultA11yDepth = "static" satisfies A11yDepth;
