import { type CheckKind, checkKinds, manifestOf } from "../../checks/kinds.ts";
import { actRule } from "../findings/act-rules.ts";
import { successCriteria } from "../findings/success-criteria.ts";
import { readFrontMatter } from "./front-matter.ts";
import { exampleHeadings, type Guide, type GuideExample, partHeadings } from "./guide.ts";
import { mistake } from "./mistake.ts";

const headings = [...partHeadings, ...exampleHeadings];
const EXAMPLE = /^```(html|html document|xhtml)\n([\s\S]+?\n)```$/;

type Part = { heading: string; line: number; text: string };

/**
 * Reads a guide: front matter in YAML, three parts in Markdown, and two examples, each in a fenced block whose language
 * is `html` for a part of a body, `html document` for a whole document, or `xhtml`.
 *
 * @param file its path in the folder of guides: the kind and the rule, `html/img/alt.md`
 * @throws UsageError that names the file and the line of the first mistake
 */
export function parseGuide(file: string, text: string): Guide {
  const { kind, rule } = nameOf(file);
  const [, yaml, body] = /^---\n([\s\S]*?\n)---\n([\s\S]*)$/.exec(text) ?? [];
  if (yaml === undefined || body === undefined)
    throw mistake(file, { line: 1, message: "the file must begin with front matter between two lines of ---." });
  const front = readFrontMatter(file, yaml);
  if (front.rule !== rule)
    throw mistake(file, { line: 2, message: `rule is ${front.rule}; by the name of the file it is ${rule}.` });
  if (!manifestOf(kind).engines.includes(front.engine))
    throw mistake(file, { line: 2, message: `engine is ${front.engine}, whose guides are in another folder.` });
  const [wrong, affected, fix, before, after] = partsOf(file, body, yaml.split("\n").length + 2);
  const { engine, title, named, section, criteria = [], act = [] } = front;
  return {
    kind,
    rule,
    engine,
    title,
    ...(named !== undefined && { named }),
    ...(section !== undefined && { section }),
    criteria: criteria.flatMap((number) => successCriteria.get(number) ?? []),
    act: act.map(actRule),
    parts: [wrong, affected, fix].map(({ heading, text }) => ({ heading, markdown: text })),
    before: exampleOf(file, before),
    after: exampleOf(file, after),
  };
}

function nameOf(file: string): { kind: CheckKind; rule: string } {
  const [folder, ...names] = file.split("/");
  const kind = checkKinds.find((known) => known === folder);
  if (!kind || names.length === 0 || !file.endsWith(".md"))
    throw mistake(file, { line: 1, message: `a guide is a file ${checkKinds.join("/<rule>.md or ")}/<rule>.md.` });
  return { kind, rule: names.join("/").slice(0, -".md".length) };
}

/** The text below each heading of the second level. Lines in fenced blocks are not headings. */
function partsOf(file: string, body: string, firstLine: number): [Part, Part, Part, Part, Part] {
  const parts: Part[] = [];
  let isFenced = false;
  for (const [index, line] of body.split("\n").entries()) {
    if (line.startsWith("```")) isFenced = !isFenced;
    const part = parts.at(-1);
    if (!isFenced && line.startsWith("## ")) parts.push({ heading: line.slice(3), line: firstLine + index, text: "" });
    else if (part) part.text += `${line}\n`;
    else if (line.trim() !== "")
      throw mistake(file, { line: firstLine + index, message: `there is text before "## ${headings[0]}".` });
  }
  for (const [index, heading] of headings.entries()) {
    const part = parts[index];
    const message = `the headings of a guide are ${headings.map((name) => `"## ${name}"`).join(", ")}, in this order.`;
    if (part?.heading !== heading) throw mistake(file, { line: part?.line ?? firstLine, message });
    part.text = part.text.trim();
    if (part.text === "") throw mistake(file, { line: part.line, message: `"## ${heading}" is empty.` });
  }
  const [more] = parts.slice(headings.length);
  if (more) throw mistake(file, { line: more.line, message: `"## ${more.heading}" is one heading too many.` });
  return parts as [Part, Part, Part, Part, Part];
}

function exampleOf(file: string, { heading, line, text }: Part): GuideExample {
  const [, language, source] = EXAMPLE.exec(text) ?? [];
  if (source === undefined)
    throw mistake(file, {
      line,
      message: `"## ${heading}" must have one fenced block and nothing else, in html, html document or xhtml.`,
    });
  return { source, language: language === "xhtml" ? "xhtml" : "html", isDocument: language !== "html" };
}
