import { policyDirectives } from "../../datatypes/content-security-policy.ts";

/** What a policy decides about: something that is fetched, or something in the document itself. */
export type Subject =
  | "script"
  | "inline-script"
  | "event-handler"
  | "style-sheet"
  | "inline-style"
  | "style-attribute"
  | "image"
  | "frame"
  | "object"
  | "media";

/** A directive with its source list, and how many characters that has. */
export type Directive = { name: string; sources: readonly string[]; length: number };

/** The directives of a policy that is delivered by `<meta>`. Where a name comes twice, the first one counts. */
export type Policy = ReadonlyMap<string, Directive>;

/** The directives for each subject, in the order in which they apply; `default-src` comes last. */
const DIRECTIVES: Readonly<Record<Subject, readonly string[]>> = {
  script: ["script-src-elem", "script-src"],
  "inline-script": ["script-src-elem", "script-src"],
  "event-handler": ["script-src-attr", "script-src"],
  "style-sheet": ["style-src-elem", "style-src"],
  "inline-style": ["style-src-elem", "style-src"],
  "style-attribute": ["style-src-attr", "style-src"],
  image: ["img-src"],
  frame: ["frame-src", "child-src"],
  object: ["object-src"],
  media: ["media-src"],
};

/** @see CSP Level 3, 2.2.1 Parse a serialized CSP */
export function parsePolicy(content: string): Policy {
  const policy = new Map<string, Directive>();
  for (const { name, values: sources } of policyDirectives(content))
    if (!policy.has(name)) policy.set(name, { name, sources, length: sources.join(" ").length });
  return policy;
}

/** The directive that governs a subject. @see CSP Level 3, 6.8.3 Get fetch directive fallback list */
export function directiveFor(policy: Policy, subject: Subject): Directive | undefined {
  for (const name of [...DIRECTIVES[subject], "default-src"]) {
    const directive = policy.get(name);
    if (directive) return directive;
  }
  return undefined;
}
