import { HTML } from "./overlay-html.ts";
import { MATHML_CORE } from "./overlay-mathml.ts";
import { SVG_2 } from "./overlay-svg.ts";
import { type PackedGrammar, packGrammar } from "./packed.ts";
import type { Preset } from "./preset.ts";
import { resolveGrammar } from "./resolve.ts";
import { simplify } from "./simplify.ts";

/** The namespace of the root element that the Nu checker's list of presets gives; HTML's has none. */
const roots = { xhtml: "http://www.w3.org/1999/xhtml", svg: "http://www.w3.org/2000/svg" } as const;

/**
 * Compiles the grammars of the Nu checker, with what the standards have and they lack.
 *
 * @param read reads one of the checker's files by name, among them `entitymap` and `presets`
 * @throws Error that names what is missing in the files, or what could not be read in a schema
 */
export function compilePresets(read: (name: string) => string): Record<Preset, PackedGrammar> {
  const files = new Map(rows(read("entitymap")).map(([url = "", name = ""]) => [url, name]));
  const readUrl = (url: string): string => {
    const name = files.get(url);
    if (name === undefined) throw new Error(`entitymap has no file for ${url}.`);
    return read(name);
  };
  const compile = (url: string) => packGrammar(simplify(resolveGrammar(url, readUrl, [HTML, SVG_2, MATHML_CORE])));
  const urls = schemaUrls(read("presets"));
  return { html: compile(urls.html), xhtml: compile(urls.xhtml), svg: compile(urls.svg) };
}

/** Reads lines of a code, the root's namespace, a label and schemas; the code is -1 if a namespace cannot select it. */
function schemaUrls(text: string): Record<Preset, string> {
  const lines = rows(text).filter(([code]) => code !== "-1");
  const schemaOf = (wanted: (namespace: string) => boolean, candidates = lines): string => {
    const schemas = candidates.find(([, namespace = ""]) => wanted(namespace))?.[3] ?? "";
    const grammar = schemas.split(" ").find((url) => url.endsWith(".rnc"));
    if (grammar === undefined) throw new Error(`presets names no grammar: ${JSON.stringify(text.slice(0, 500))}.`);
    return grammar;
  };
  return {
    html: schemaOf((namespace) => namespace === "-"),
    xhtml: schemaOf((namespace) => namespace === roots.xhtml),
    // Selected by name only: its code is -1, too.
    svg: schemaOf((namespace) => namespace === roots.svg, rows(text)),
  };
}

/** Splits a text into lines, and lines at tabs. */
function rows(text: string): string[][] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.replace("\r", "").split("\t")]));
}
