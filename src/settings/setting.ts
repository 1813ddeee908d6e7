/**
 * A setting of a report, as a row of the table (index.ts). All that the product knows of it by its name derives from the
 * row; only the place that acts on it is elsewhere.
 */
export type Setting = {
  /** What it means: its description in the CRDs and in the OpenAPI document. */
  text: string;
  /** What a value is, with the default of a report; without one, the setting is required. */
  schema: OptionSchema & { readonly default?: unknown };
  /** A schedule's default, if it has another; false if a schedule has no such setting. */
  schedule?: { default: unknown } | false;
  /**
   * What people call it, if it decides what is visited, what is found there or what of it counts: reports that differ in it
   * are not of one series, so that they are not compared automatically. Their pages say: "other settings: maximum pages".
   */
  series: string | false;
  /** The setting that it follows in the list of these. */
  seriesAfter?: string;
  /** What callers of the API may do, if not what they may with others: set it on creation, and read it. */
  access?: { create?: false; read?: false; change?: true };
  /** How a request may write a list of texts as one string, if not with a line for each. */
  list?: "commas";
  /** What null means in the API, for an object: it is part of a sentence. */
  nullMeans?: string;
  /** The operator's limit that applies to it. */
  limit?: "maxPages" | "maxRateLimit" | "htmlEngines";
  /** What the pattern of its text or texts means, as in "it must be printable ASCII". */
  words?: string;
  option?: OptionOfCheck;
  form?: FormField;
  /** What its properties are on the command line and in forms. */
  members?: Readonly<Record<string, { option?: OptionOfCheck; form?: FormField }>>;
  /** A value that somebody may give, where the schema does not say what is useful. Tests send it through every door. */
  example?: unknown;
};

/** A JSON Schema, with the parts that have a meaning for all settings. */
export type Schema = OptionSchema & { readonly description: string; readonly default?: unknown };

/** The same of an option, whose description is a text of its own, and whose default is not filled in. */
export type OptionSchema = {
  readonly type: "array" | "boolean" | "integer" | "object" | "string";
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly items?: {
    readonly type: string;
    readonly minLength?: number;
    readonly pattern?: string;
    readonly [keyword: string]: unknown;
  };
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
};

/** An option of `check`, on the command line and in its configuration file. */
export type OptionOfCheck = {
  /** Its name in a configuration, if it is not that of the setting: `exclude`, which is `--exclude`. */
  name?: string;
  /** In the help; in docs/check.md with its links. A switch that is on is described by what it does. */
  text: string;
  /** Its flag, if that is not its name with hyphens: of several that are given one by one, the singular. */
  flag?: string;
  /** What stands for its value in the help. Switches have none. */
  value?: string;
  /** Of a switch that is on: what it does when it is off, if that is not simply not to do it. */
  off?: string;
  /** What the option accepts, where that is not what the setting does. */
  schema?: OptionSchema;
  /** Its default, if it is not that of a report. */
  default?: unknown;
  /** What its default depends on, after the default. */
  defaultAlso?: string;
  /** A configuration of strangers has no say in it (`--untrusted`). */
  trusted?: true;
  /** The option that it follows in the help. */
  after?: string;
};

/** A field in the form of reports and schedules. What kind of field it is follows from the schema. */
export type FormField = {
  group: "always" | "checks" | "visiting" | "browser" | "signIn" | "doing" | "keeping";
  label: string;
  help?: string;
  /** The lines of a text that has several. */
  rows?: number;
  /** What the values of an enumeration are called. */
  labels?: Readonly<Record<string, string>>;
  /** The values are ids of these. */
  choices?: "credentials" | "devices";
  /** The setting that it follows in its group; "" is first. */
  after?: string;
  /** What the form begins with, if it is not a schedule's default. */
  default?: string;
};

/** The names of rows in the order of the table, but for those that name another one that they follow: lists for people have orders of their own. */
export function inOrder<Name extends string>(rows: readonly { name: Name; after?: string | undefined }[]): Name[] {
  const following = (anchor: string): Name[] =>
    rows.filter(({ after }) => after === anchor).flatMap(({ name }) => [name, ...following(name)]);
  const others = rows.filter(({ after }) => after === undefined);
  const names = [...following(""), ...others.flatMap(({ name }) => [name, ...following(name)])];
  const lost = rows.find(({ name }) => !names.includes(name));
  if (lost) throw new Error(`${lost.name} follows ${lost.after}, which is not in the same list of settings.`);
  return names;
}
