import { Ajv, type ErrorObject } from "ajv";
import { type Document, isMap, isNode, isPair, LineCounter, parseDocument } from "yaml";
import { UsageError } from "../../../domain/errors.ts";
import { defineMuting } from "../../../domain/findings/define-muting.ts";
import { tooManyMutings } from "../../../domain/findings/muting.ts";
import type { HeaderFault } from "../../../domain/headers/site-headers.ts";
import { ownSchemas } from "../../../schema/own-schemas.ts";
import { stepFaults } from "../../../schema/steps.ts";
import { type Allowed, expected } from "./expected.ts";
import { mutingOf } from "./ignore-schema.ts";
import { type GivenOptions, optionsSchema } from "./options-schema.ts";
import { faultsOfCookies, faultsOfHeaders, type Named } from "./site-headers.ts";

const ajv = new Ajv({ allErrors: true, verbose: true, keywords: ownSchemas.keywords });
const known = Object.keys(optionsSchema.properties);

/**
 * The options of a configuration: the text of a YAML file (JSON is a subset), or the value that a script exports.
 *
 * @throws UsageError with a line for each mistake: its place, what was received, and what is allowed
 */
export function readConfigData(file: string, source: { text: string } | { value: unknown }): GivenOptions {
  const lines = new LineCounter();
  const document = "text" in source ? parseDocument(source.text, { lineCounter: lines, logLevel: "error" }) : undefined;
  const [fault] = document?.errors ?? [];
  if (fault) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw new UsageError(`${file}:${line}:${col}: ${fault.message.split("\n")[0]?.replace(/ at line .*$/, "")}`);
  }
  const value = document ? dataOf(document, file) : withoutUndefined((source as { value: unknown }).value);
  const valid = ajv.validate<GivenOptions>(optionsSchema, value);
  const place = (path: readonly string[], ofKey: boolean): string => {
    const offset = document && offsetOf(document, path, ofKey);
    if (offset === undefined) return file;
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const faults = valid
    ? [wrongSecrets, wrongEntries, wrongSteps].flatMap((faultsOf) => faultsOf(value as GivenOptions, place))
    : (ajv.errors ?? []).map((one) => described(one, place));
  if (faults.length === 0) return value as GivenOptions;
  throw new UsageError([...new Set(faults)].sort(byPlace).join("\n"));
}

/** @throws UsageError for an alias without an anchor, and for endlessly nested aliases */
function dataOf(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}.`);
  }
}

/** An option that a script sets to undefined counts as not given. */
function withoutUndefined(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}

/** What is wrong with headers and cookies, without repeating any value. */
function wrongSecrets({ headers = {}, cookies = {} }: GivenOptions, place: Place): string[] {
  const lines = (option: string, named: Named, faults: readonly HeaderFault[]) =>
    faults.map(({ index, text }) => {
      const name = index === undefined ? [] : [Object.keys(named)[index] ?? ""];
      return `${place([option, ...name], true)}: ${option}: ${text}.`;
    });
  return [
    ...lines("headers", headers, faultsOfHeaders(headers)),
    ...lines("cookies", cookies, faultsOfCookies(cookies)),
  ];
}

/** What is wrong with the entries of `ignore` besides their shape. */
function wrongEntries({ ignore = [] }: GivenOptions, place: Place): string[] {
  const many = tooManyMutings(
    { mutings: 0, selectors: 0 },
    { mutings: ignore.length, selectors: ignore.filter(({ selector }) => selector !== undefined).length },
  );
  const faults = ignore.flatMap((entry, index) =>
    defineMuting(mutingOf(entry)).faults.map(({ member, detail }) => {
      const path = ["ignore", String(index), ...(member in entry ? [member] : [])];
      return `${place(path, false)}: ignore[${index}]: ${detail}`;
    }),
  );
  return many ? [`${place(["ignore"], true)}: ignore has more than ${many.tooMany}.`, ...faults] : faults;
}

/** What is wrong with steps. */
function wrongSteps(given: GivenOptions, place: Place): string[] {
  return stepFaults(given).map(({ path: [field, index, ...property], message }) => {
    const path = [field, String(index), ...property];
    return `${place(path, false)}: ${pathText(path)}: ${message}.`;
  });
}

/** Sorts messages about one file by their places in the text. */
function byPlace(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

type Place = (path: readonly string[], ofKey: boolean) => string;

function described(error: ErrorObject, place: Place): string {
  // JSON Pointer: names of headers may have these characters.
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (error.keyword === "additionalProperties") {
    const name = String(error.params.additionalProperty);
    const at = place([...path, name], true);
    if (path.length === 0) return `${at}: ${JSON.stringify(name)} is not an option. Options are: ${known.join(", ")}.`;
    const members = Object.keys((error.parentSchema as Allowed).properties ?? {}).join(", ");
    return `${at}: ${JSON.stringify(name)} is not a member of ${pathText(path)}. Members are: ${members}.`;
  }
  const isSecret = path[0] === "headers" || path[0] === "cookies";
  const received = isSecret ? "something else" : error.data === undefined ? "nothing" : formatValue(error.data);
  if (path.length === 0) return `${place(path, false)}: the configuration is ${received}; it must be a map of options.`;
  const allowed = expected(error.parentSchema as Allowed);
  // `selector: #ads` is a selector without a value, and a comment.
  const hint = path[0] === "ignore" && error.data === null ? ' Write a value that begins with "#" in quotes.' : "";
  return `${place(path, false)}: ${pathText(path)} is ${received}; it must be ${allowed}.${hint}`;
}

/** Where a value is: `ignore[0].rule`. */
function pathText(path: readonly string[]): string {
  return path.reduce((to, part) => (/^\d+$/.test(part) ? `${to}[${part}]` : `${to}.${part}`));
}

/** A value for messages: scripts may export values that JSON does not have. */
function formatValue(value: unknown): string {
  return typeof value === "object" || typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** Where in the text a value is, or its key. */
function offsetOf(document: Document, path: readonly string[], ofKey: boolean): number | undefined {
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const name = path.at(-1);
  if (ofKey && isMap(parent)) {
    const pair = parent.items.find(({ key }) => String(key) === name);
    return isPair(pair) && isNode(pair.key) ? pair.key.range?.[0] : undefined;
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}
