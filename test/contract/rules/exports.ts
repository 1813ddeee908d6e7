import { type Expectation, error, header } from "../expectations.ts";
import { type Rule, rule, type Section } from "../rule.ts";

type Finding = Record<string, unknown>;

const lines = (text: string): Finding[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** There are findings, and all of them have this. */
const allHave =
  (wanted: Finding): Expectation =>
  ({ text }) => {
    const found = lines(text);
    if (found.length === 0) throw new Error("no findings");
    for (const finding of found)
      for (const [name, value] of Object.entries(wanted))
        if (finding[name] !== value) throw new Error(`${name} is not ${value}: ${JSON.stringify(finding)}`);
  };

const haveBoxes: Expectation = ({ text }) => {
  const found = lines(text);
  if (found.length === 0) throw new Error("no findings");
  for (const { box } of found as { box: Record<string, unknown> | null }[])
    if (!["x", "y", "width", "height"].every((name) => Number.isInteger(box?.[name]))) throw new Error(text);
};

const begins =
  (beginning: string): Expectation =>
  ({ text }) => {
    if (!text.startsWith(beginning)) throw new Error(text.slice(0, 200));
  };

const contains =
  (wanted: string, unwanted: string): Expectation =>
  ({ text }) => {
    if (!text.includes(wanted) || text.includes(unwanted)) throw new Error(text.slice(0, 2_000));
  };

const path = "/reports/{report}/export";
const formats = [
  ["ndjson", "application/x-ndjson", '{"fingerprint":"'],
  ["csv", "text/csv", "\uFEFFpage_url,kind,rule,"],
  ["sheet", "text/csv", "\uFEFFPage,Address,What is wrong,"],
  ["sarif", "application/sarif+json", '{"$schema":"'],
  ["junit", "application/xml", "<?xml "],
] as const;

// biome-ignore format: a table, a rule a line
const ofFormats: Rule[] = formats.flatMap(([name, type, beginning]) => [
  rule(`are ${type} by the address export.${name}`, `GET ${path}.${name}`, 200, begins(beginning)),
  // The sheet has the type of the CSV, which comes first.
  ...(name === "sheet" ? [] : [rule(`are ${type} if the client accepts that`, `GET ${path}`, 200, header("content-type", new RegExp(`^${type.replace("+", "[+]")}`)), { headers: { Accept: type } })]),
  ...["filter[kind]=a11y", "filter[rule]=image-alt", "filter[issue_type]=error", "filter[impact]=critical", "filter[state]=new", "filter[muted]=true", "filter[path]=/none/", "filter[role]=content"].map((filter) =>
    rule(`are ${type} in export.${name} with ${filter}, too`, `GET ${path}.${name}?${filter}`, 200, header("content-disposition", new RegExp(`[.-]${name}([.]csv)?$`))),
  ),
]);

// biome-ignore format: a table, a rule a line
export const exports: Section = {
  title: "All findings of a report, in one response",
  rules: [
    ...ofFormats,
    rule("are those of one engine if asked for", `GET ${path}?filter[kind]=html`, 200, allHave({ kind: "html", impact: null, muted: false })),
    rule("are those of one rule if asked for", `GET ${path}?filter[rule]=image-alt`, 200, allHave({ kind: "a11y", rule: "image-alt", impact: "critical" })),
    rule("say where an accessibility rule's element is on the page", `GET ${path}?filter[rule]=image-alt`, 200, haveBoxes),
    rule("are none of a folder without pages", `GET ${path}?filter[path]=/none/`, 200, ({ text }) => {
      if (text !== "") throw new Error(text);
    }),
    rule("are none of templates on a site of two pages", `GET ${path}?filter[role]=template`, 200, ({ text }) => {
      if (text !== "") throw new Error(text);
    }),
    rule("are errors only if asked for", `GET ${path}?filter[issue_type]=error`, 200, allHave({ issue_type: "error" })),
    rule("are those of one impact if asked for", `GET ${path}?filter[impact]=critical`, 200, allHave({ impact: "critical" })),
    ...["ndjson", "csv", "sarif", "junit"].map((name) => rule(`are those of one engine in export.${name}, too`, `GET ${path}.${name}?filter[kind]=a11y`, 200, contains("image-alt", "img/alt"))),
    rule("have no state without a comparison", `GET ${path}?filter[state]=new`, 200, ({ text }) => {
      if (text !== "") throw new Error(text);
    }),
    rule("are not the muted ones unless asked for", `GET ${path}?filter[muted]=false`, 200, allHave({ muted: false })),
    rule("have no kinds but the engines'", `GET ${path}?filter[kind]=css`, 400, error("invalid_parameter", "parameter filter[kind]")),
    rule("have no states but those of a comparison", `GET ${path}?filter[state]=old`, 400, error("invalid_parameter", "parameter filter[state]")),
    rule("have no impacts but axe-core's", `GET ${path}?filter[impact]=high`, 400, error("invalid_parameter", "parameter filter[impact]")),
    rule("are errors or warnings", `GET ${path}?filter[issue_type]=info`, 400, error("invalid_parameter", "parameter filter[issue_type]")),
    rule("are in no other format", `GET ${path}`, 406, error("not_acceptable", "header Accept"), { headers: { Accept: "application/pdf" } }),
    rule("are in no other format by the address either", `GET ${path}.pdf`, 404, error("not_found")),
    rule("of another account are not found", `GET ${path}.csv`, 404, error("not_found"), { as: "stranger" }),
    rule("need credentials", `GET ${path}.csv`, 401, error("unauthenticated"), { as: "anonymous" }),
  ],
};
