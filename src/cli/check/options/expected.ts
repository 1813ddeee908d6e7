import { settings, wordsOfSettings } from "../../../settings/index.ts";
import { glob } from "../../../settings/values.ts";
import { ignoreSchema } from "./ignore-schema.ts";
import { CLIENT_CERT, RESOLVE, TLS_HOST } from "./options-schema.ts";

/** The parts of a JSON schema that say what a value may be. */
export type Allowed = {
  type: string;
  minimum?: number | undefined;
  maximum?: number | undefined;
  enum?: readonly string[];
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
  items?: Pick<Allowed, "type">;
  properties?: Readonly<Record<string, unknown>>;
};

const { userAgent } = settings;
const { fingerprint, expires_at } = ignoreSchema.items.properties;
/** What texts of a pattern are, in words. */
const patterns: Readonly<Record<string, string>> = {
  ...wordsOfSettings,
  [userAgent.schema.pattern]:
    `printable ASCII without spaces at its ends, at most ${userAgent.schema.maxLength} characters`,
  "^/": 'a path that starts with "/"',
  [glob.pattern]: "a glob without spaces and braces, such as /docs/** or *.pdf: give one for each alternative",
  [RESOLVE]: "a host, a port and an address, such as shop.example.org:443:10.0.0.5",
  [TLS_HOST]: "a host, such as shop.example.org or shop.example.org:8443",
  [CLIENT_CERT]: "a host with its files, such as shop.example.org=cert.pem,key.pem",
  [expires_at.pattern]: "a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z",
  [fingerprint.pattern]: "a fingerprint: 20 hexadecimal digits in lower case",
};

/** What is allowed, in words that follow "must be". */
export function expected({ type, minimum, maximum, enum: values, pattern, ...more }: Allowed): string {
  if (values) return `one of ${values.join(", ")}`;
  const { minItems, maxItems, maxLength, items, properties } = more;
  if (properties) return `a map with any of ${Object.keys(properties).join(", ")}`;
  if (type === "object") return "a map of names to texts, such as X-Preview: $TOKEN";
  if (type === "integer") return `a whole number from ${minimum} to ${maximum}`;
  if (type === "boolean") return "true or false";
  if (type === "array") {
    const limits = [...(minItems ? [`at least ${minItems}`] : []), ...(maxItems ? [`at most ${maxItems}`] : [])];
    return [items?.type === "object" ? "a list of maps" : "a list of texts", ...limits].join(", ");
  }
  const known = patterns[pattern ?? ""];
  if (known !== undefined) return known;
  return ["a text that is not empty", ...(maxLength ? [`at most ${maxLength} characters`] : [])].join(", ");
}
