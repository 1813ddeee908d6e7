import { policyDirectives } from "../../datatypes/content-security-policy.ts";

/** What a policy decides about: something that is fetched, or something that stands in the document itself. */
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

/** The directives of a policy that is delivered by `<meta>`. Where a name comes twice, the first one counts. */
export type Policy = ReadonlyMap<string, readonly string[]>;

/** The directive that governs a subject. */
export type Directive = { name: string; sources: readonly string[] };

/** Directives in the order in which they are asked for; `default-src` comes after all of them. */
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
  const policy = new Map<string, readonly string[]>();
  for (const { name, values } of policyDirectives(content)) if (!policy.has(name)) policy.set(name, values);
  return policy;
}

/** @see CSP Level 3, 6.8.3 Get fetch directive fallback list */
export function directiveFor(policy: Policy, subject: Subject): Directive | undefined {
  for (const name of [...DIRECTIVES[subject], "default-src"]) {
    const sources = policy.get(name);
    if (sources) return { name, sources };
  }
  return undefined;
}
