/** How severe an accessibility finding is, from the least to the most severe. */
export const impacts = ["minor", "moderate", "serious", "critical"] as const;
export type Impact = (typeof impacts)[number];
