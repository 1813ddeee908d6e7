import type { FromSchema } from "json-schema-to-ts";
import { type CheckKind, kindsThat } from "../../../checks/kinds.ts";
import { MAX_HEADERS } from "../../../domain/headers/site-headers.ts";
import type { gateSchema } from "../../../settings/gate.ts";
import { type NamesOf, type Part, parts, type SettingName, type Settings } from "../../../settings/index.ts";
import { inOrder, type OptionOfCheck, type OptionSchema } from "../../../settings/setting.ts";
import { ignoreSchema } from "./ignore-schema.ts";

const file = { type: "string", minLength: 1 } as const;
const flag = { type: "boolean" } as const;
/** As curl has it. The port may be left out, or *: an address is used for every port of its host. */
export const RESOLVE = "^[A-Za-z0-9._-]+:((\\d{1,5}|\\*):)?(\\[[0-9A-Fa-f:.]+\\]|[0-9A-Fa-f:.]+)$";
/** A host, perhaps with a port. */
export const TLS_HOST = "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:\\d{1,5})?$";
/** A host with one or two files. */
export const CLIENT_CERT = "^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:\\d{1,5})?=[^,]+(,[^,]+)?$";
/** Texts by name; their values are secrets. */
const named = {
  type: "object",
  additionalProperties: { type: "string", minLength: 1 },
  maxProperties: MAX_HEADERS,
  writeOnly: true,
} as const;
const listOf = <const Pattern extends string>(pattern: Pattern) =>
  ({ type: "array", items: { type: "string", pattern }, maxItems: 100 }) as const;

/** The kinds of checks that are performed, or not, unless an option says otherwise. */
export function kindsByDefault(performed: boolean): CheckKind[] {
  return kindsThat(({ byDefault }) => byDefault.report === performed);
}

export const failOnLevels = ["error", "warning", "never"] as const;
export type FailOn = (typeof failOnLevels)[number];

type Row = OptionOfCheck & { schema: OptionSchema };

/** What is no setting of a report: where it is, how to get there, and what is done with its results. */
const own = {
  targets: {
    schema: { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 },
    text: "URLs of a site, or a folder, sitemap or list of URLs on this machine",
    trusted: true,
    after: "",
  },
  ignore: { schema: ignoreSchema, text: ignoreSchema.description, value: "rule", default: [] },
  basePath: {
    schema: { type: "string", pattern: "^/" },
    text: "the path under which a folder's pages are served",
    value: "path",
    default: "/",
  },
  basicAuth: {
    schema: { type: "string", minLength: 1, maxLength: 255 },
    text: "user name for a site behind Basic HTTP Authentication; the password is in `SITE_PASSWORD`, or asked for",
    value: "user",
  },
  headers: {
    schema: named,
    text: 'header of every request to [the site](#a-site-that-does-not-open-to-everybody), `"Name: value"`; `$NAME` is read from the environment; may be repeated',
    flag: "--header",
    value: "line",
    default: {},
  },
  cookies: {
    schema: named,
    text: "cookie of the site, `name=value`; `$NAME` is read from the environment; may be repeated",
    flag: "--cookie",
    value: "pair",
    default: {},
  },
  signIn: {
    schema: file,
    text: "[sign in](sign-in.md) before pages are checked: a recording of Chrome's DevTools Recorder, or its steps as YAML or JSON; `$NAME` in a value is read from the environment",
    value: "file",
  },
  signInPicture: {
    schema: file,
    text: "write the page on which nobody could sign in as PNG, without what was typed",
    value: "file",
  },
  resolve: {
    schema: listOf(RESOLVE),
    text: "use this address for a host instead of DNS, as curl has it: `host:port:address`; may be repeated",
    value: "address",
    trusted: true,
    default: [],
  },
  ca: {
    schema: file,
    text: "trust the [certificate authorities](the-way-there.md#certificate-authorities) in this file, too, for crawler and browser alike; PEM",
    value: "file",
  },
  clientCert: {
    schema: listOf(CLIENT_CERT),
    text: "show this [certificate](the-way-there.md#client-certificates) to a host that asks for one, and to no other: `host=cert.pem,key.pem`; may be repeated",
    value: "host=files",
    trusted: true,
    default: [],
  },
  insecureTls: {
    schema: listOf(TLS_HOST),
    text: "do not verify the certificate of this host; the report says so; may be repeated",
    value: "host",
    trusted: true,
    default: [],
  },
  failOn: {
    schema: { type: "string", enum: failOnLevels },
    text: "issues that make the exit code 1 (default: error, and never with a limit)",
    value: "level",
  },
  json: { schema: flag, text: "print the report as one JSON document, and nothing else, to stdout", default: false },
  baseline: { schema: file, text: "count only findings that are not in this file, and list fixed ones", value: "file" },
  report: { schema: file, text: "write the report as one HTML file to read, keep and print", value: "file" },
  sarif: { schema: file, text: "write the findings as SARIF 2.1.0, for code scanning", value: "file" },
  junit: { schema: file, text: "write the findings as JUnit XML, for test reports", value: "file" },
  csv: { schema: file, text: "write the findings as CSV, for spreadsheets", value: "file" },
  sheet: { schema: file, text: "write the findings as CSV with titles, for people to read", value: "file" },
  ndjson: { schema: file, text: "write the findings as one JSON object per line", value: "file" },
  markdown: { schema: file, text: "write a summary as Markdown, for a job's summary or a comment", value: "file" },
  verbose: { schema: flag, text: "print all findings, not only the worst on at most 60 lines" },
  quiet: { schema: flag, text: "print only the totals, and no progress" },
  color: { schema: flag, text: "colour, or none with `--no-color`; by default on terminals, unless `NO_COLOR` is set" },
} as const satisfies Record<string, Row>;

type Own = typeof own;
type Gate = typeof gateSchema.properties;
type Members = Settings["gate"]["members"];
type Named<Option, Name> = Option extends { name: infer Other extends string } ? Other : Name & string;
type SchemaOf<Name extends SettingName> = Settings[Name] extends { option: { schema: infer Schema } }
  ? Schema
  : Omit<Settings[Name]["schema"], "default">;

/** The settings of a report that are options. */
type WithOption = NamesOf<{ option: object }>;
/** The options that a setting of a report has: without limits, which are members of one. */
export type SettingOption = { [Name in WithOption]: Named<OptionOf<Name>, Name> }[WithOption];
type OptionOf<Name extends WithOption> = Settings[Name] extends { option: infer Option } ? Option : never;

type Schemas = {
  [Name in WithOption as Named<OptionOf<Name>, Name>]: SchemaOf<Name>;
} & { [Name in keyof Members as Named<Members[Name]["option"], Name>]: Gate[Name] } & {
  [Name in keyof Own]: Own[Name]["schema"];
};

/** Options as they are given; none has a default. */
export type GivenOptions = FromSchema<{
  type: "object";
  additionalProperties: false;
  properties: { [Name in keyof Schemas]: Schemas[Name] };
}>;
export type OptionName = keyof GivenOptions;
/** Options that always have a value. */
export type WithDefault =
  | Exclude<SettingOption, "rateLimit">
  | { [Name in keyof Own]: Own[Name] extends { default: unknown } ? Name : never }[keyof Own];

/** An option, and the setting of a report that it is, or the member of one. */
export type CheckOption = Row & { name: OptionName; path?: Part["path"] };

const ofSettings = parts.flatMap(({ path, option, schema: whole }): CheckOption[] => {
  if (!option) return [];
  const { default: byDefault, description: _, ...schema } = whole;
  const fallback = option.default ?? byDefault;
  const says = option.value && ["string", "number"].includes(typeof fallback) && fallback;
  const text = says ? `${option.text} (default: ${says}${option.defaultAlso ?? ""})` : option.text;
  const name = (option.name ?? path.at(-1)) as OptionName;
  return [{ schema, default: fallback, ...option, name, text, path }];
});

const all: readonly CheckOption[] = [
  ...ofSettings,
  ...Object.entries<Row>(own).map(([name, row]) => ({ ...row, name: name as OptionName })),
];
const byName = new Map(all.map((option) => [option.name, option]));

/** All options, in the order of the help. */
export const options: readonly CheckOption[] = inOrder(all).flatMap((name) => byName.get(name) ?? []);

/** A text of an option without the Markdown that it has for docs/check.md. */
export function plain(text: string): string {
  return text.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll("`", "");
}

/**
 * The options of `check`, as a configuration file has them. The command line's options have the same names, with
 * hyphens: `maxPages` is `--max-pages`.
 */
export const optionsSchema = {
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(
    options.map(({ name, schema, text }) => [name, { ...schema, description: plain(text) }]),
  ) as Record<OptionName, OptionSchema & { description: string }>,
};

/** `maxPages` is `--max-pages`. */
export function flagOf(name: OptionName): string {
  return byName.get(name)?.flag ?? `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
