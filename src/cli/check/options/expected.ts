import { crawlTargetProperties, MAX_USER_AGENT_LENGTH } from "../../../schema/crawl-target.ts";

/** The parts of a JSON schema that say what a value may be. */
export type Allowed = {
  type: string;
  minimum?: number;
  maximum?: number;
  enum?: readonly string[];
  pattern?: string;
  minItems?: number;
  maxItems?: number;
};

/** What is allowed, in words that follow "must be". */
export function expected({ type, minimum, maximum, enum: values, pattern, minItems, maxItems }: Allowed): string {
  if (values) return `one of ${values.join(", ")}`;
  if (type === "object") return "a map of names to texts, such as X-Preview: $TOKEN";
  if (type === "integer") return `a whole number from ${minimum} to ${maximum}`;
  if (type === "boolean") return "true or false";
  if (type === "array") {
    const limits = [...(minItems ? [`at least ${minItems}`] : []), ...(maxItems ? [`at most ${maxItems}`] : [])];
    return ["a list of texts", ...limits].join(", ");
  }
  if (pattern === crawlTargetProperties.userAgent.pattern)
    return `printable ASCII without spaces at its ends, at most ${MAX_USER_AGENT_LENGTH} characters`;
  return pattern === "^/" ? 'a path that starts with "/"' : "a text that is not empty";
}
