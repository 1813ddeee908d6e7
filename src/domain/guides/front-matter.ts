import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { isMap, LineCounter, parseDocument } from "yaml";
import { type GuideFrontMatter, guideSchema } from "../../schema/guide.ts";
import { successCriteria } from "../findings/success-criteria.ts";
import { type Mistake, mistake } from "./mistake.ts";

/** The line on which the front matter begins, after the `---`. */
const FIRST_LINE = 2;

type Read = ReturnType<typeof parseDocument>;

let compiled: ValidateFunction<GuideFrontMatter> | undefined;

/** Reads the YAML between the two `---` of a guide. @throws UsageError that names the line of the mistake */
export function readFrontMatter(file: string, yaml: string): GuideFrontMatter {
  compiled ??= new Ajv().compile<GuideFrontMatter>(guideSchema);
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number) => FIRST_LINE + lines.linePos(offset).line - 1;
  const [syntax] = document.errors;
  if (syntax) throw mistake(file, { line: lineAt(syntax.pos[0]), message: `invalid YAML: ${syntax.message}` });
  const value: unknown = document.toJS();
  if (!compiled(value)) {
    const error = compiled.errors?.[0];
    if (error) throw mistake(file, describe(error, document, lineAt));
  }
  const front = value as GuideFrontMatter;
  for (const [index, number] of (front.criteria ?? []).entries())
    if (!successCriteria.has(number))
      throw mistake(file, {
        line: lineAt(startOf(document, ["criteria", String(index)])),
        message: `criteria: ${number} is not a success criterion of WCAG 2.2.`,
      });
  return front;
}

function describe(error: ErrorObject, document: Read, lineAt: (offset: number) => number): Mistake {
  const path = error.instancePath.split("/").slice(1);
  if (error.keyword === "additionalProperties") {
    const name = String(error.params.additionalProperty);
    const allowed = Object.keys(guideSchema.properties).join(", ");
    return {
      line: lineAt(startOfKey(document, name)),
      message: `${name} is not known; allowed are ${allowed}.`,
    };
  }
  if (error.keyword === "required") {
    const isEither = error.schemaPath.startsWith("#/anyOf/");
    const missing = isEither ? "section or criteria" : String(error.params.missingProperty);
    return { line: lineAt(0), message: `${missing} is missing.` };
  }
  const received = JSON.stringify(document.getIn(path));
  const allowed = error.keyword === "enum" ? ` (${(error.params.allowedValues as string[]).join(", ")})` : "";
  return {
    line: lineAt(startOf(document, path)),
    message: `${path.join(".") || "the front matter"} ${error.message}${allowed}; received ${received}.`,
  };
}

function startOf(document: Read, path: readonly string[]): number {
  const node = document.getIn(path, true) as { range?: [number, number, number] } | undefined;
  return node?.range?.[0] ?? 0;
}

function startOfKey(document: Read, name: string): number {
  if (!isMap(document.contents)) return 0;
  const pair = document.contents.items.find(({ key }) => String(key) === name);
  return (pair?.key as { range?: [number, number, number] } | undefined)?.range?.[0] ?? 0;
}
