import { findingStates } from "../../../domain/findings/finding-state.ts";

/** Names of the properties of findings. */
export const findingsTexts = {
  roles: { content: "content", template: "template", design: "design" },
  standards: {
    wcag2a: "WCAG 2.0, level A",
    wcag2aa: "WCAG 2.0, level AA",
    wcag21aa: "WCAG 2.1, level AA",
    wcag22aa: "WCAG 2.2, level AA",
    section508: "Section 508",
    en301549: "EN 301 549",
    all: "Every rule, including best practices",
  } as Readonly<Record<string, string>>,
  states: {
    new: "new",
    fixed: "fixed",
    persisting: "as before",
    new_rule: "new rule",
    gone: "page gone",
    unknown: "unknown",
  },
  stateMeans: findingStates,
  impacts: { critical: "critical", serious: "serious", moderate: "moderate", minor: "minor" },
  types: { error: "error", warning: "warning" },
};
