/** How severe a finding is, if its kind says so, from the least to the most severe. */
export const impacts = ["minor", "moderate", "serious", "critical"] as const;
export type Impact = (typeof impacts)[number];
