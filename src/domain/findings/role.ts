/** Who can mend a fault: who writes the page, who makes the parts that pages share, or who decides on colours and sizes. */
export const roles = {
  content: "It is on one or two pages.",
  template: "The same element is on several pages.",
  design: "It is a colour or a size.",
} as const;
export type Role = keyof typeof roles;

/** On so many pages an element is of a template: what is on two may have been copied by hand. */
export const MIN_TEMPLATE_PAGES = 3;

/** Rules about colours, sizes and distances, wherever the element is. */
export const designRules = [
  ...["avoid-inline-spacing", "color-contrast", "color-contrast-enhanced", "link-in-text-block", "target-size"],
] as const;

/**
 * The role of a component.
 *
 * @param component its rule, and on how many pages of its report it is, muted or not
 */
export function roleOf({ rule, numPages }: { rule: string; numPages: number }): Role {
  if ((designRules as readonly string[]).includes(rule)) return "design";
  return numPages >= MIN_TEMPLATE_PAGES ? "template" : "content";
}

/** How many elements have which role. */
export type RoleCounts = Record<Role, number>;
