import { parseDocument } from "html-conformance/parse";
import { createHtmlCheck } from "../html-validate/check.ts";
import { elementKeys } from "./element-keys.ts";
import { serveDocuments } from "./serve-documents.ts";

/** The child process of html-validate. */
const check = createHtmlCheck();
// Not awaited: a snapshot is made of a script, not of a module.
void serveDocuments((document) => {
  const { messages, language } = check(document.source);
  return {
    messages,
    language,
    elements: messages.length > 0 ? elementKeys(parseDocument(document).document, document, messages) : [],
  };
});
