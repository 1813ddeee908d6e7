import { createChecker } from "html-conformance";
import type { HtmlDocument } from "html-conformance/documents";
import type { PackedGrammar, Preset } from "html-conformance/grammar";
import { isXmlType } from "html-conformance/parse";
import { grammarsOf } from "../grammar-store.ts";
import { elementKeys } from "./element-keys.ts";
import type { Causes } from "./port.ts";
import { repairedMessages } from "./repair.ts";
import { serveDocuments } from "./serve-documents.ts";

/** The child process of the conformance engine. Its argument is the folder that the compiled grammars are in. */
const grammars = new Map<Preset, PackedGrammar>();
const checker = createChecker((preset) => {
  const grammar = grammars.get(preset);
  if (!grammar) throw new Error(`The grammar of ${preset} is not loaded.`);
  return grammar;
});

const check = ({ causes, repaired = false, ...document }: HtmlDocument & Causes) => {
  const { source } = document;
  const { messages: found, language, tree } = checker.run(source, { ...document, causes: causes ?? true });
  const messages = found.map(({ meant: _, ...message }) => message);
  const checked = { messages, language, elements: elementKeys(tree, document, messages) };
  if (!repaired || isXmlType(document.contentType)) return checked;
  return {
    ...checked,
    repaired: repairedMessages({ source, tree, messages }, (copy) => checker.check(copy, document)),
  };
};

const prepare = async ({ contentType }: HtmlDocument) => {
  // Read here: a process that starts from a snapshot has other arguments than the one that made it.
  const [, , cacheDir = ""] = process.argv;
  for (const preset of isXmlType(contentType) ? (["xhtml", "svg"] as const) : (["html"] as const))
    if (!grammars.has(preset)) grammars.set(preset, await grammarsOf(cacheDir).load(preset));
};

// Not awaited: a snapshot is made of a script, not of a module.
void serveDocuments(check, prepare);
