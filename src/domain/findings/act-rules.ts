/** A rule of the W3C for testing conformance (Accessibility Conformance Testing). */
export type ActRule = { id: string; url: string };

const PREFIX = "ACT-";

/** The form of an id, such as `80f0bf`. */
export const ACT_RULE_ID = "[a-zA-Z0-9]{6}";

/** The tag that says which ACT rule a rule implements, beside axe-core's own tags. */
export function tagOfActRule(id: string): string {
  return PREFIX + id;
}

export const ACT_RULE_TAG = new RegExp(`^${PREFIX}(${ACT_RULE_ID})$`);

/** The ACT rules that a rule implements, by its tags, each once. */
export function actRulesOf(tags: readonly string[]): ActRule[] {
  return [...new Set(tags)].flatMap((tag) => {
    const id = ACT_RULE_TAG.exec(tag)?.[1];
    return id === undefined ? [] : [actRule(id)];
  });
}

export function actRule(id: string): ActRule {
  return { id, url: `https://www.w3.org/WAI/standards-guidelines/act/rules/${id}/` };
}
