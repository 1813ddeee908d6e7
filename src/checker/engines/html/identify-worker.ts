import { parseDocument } from "html-conformance/parse";
import { elementKeys } from "./element-keys.ts";
import { serveDocuments } from "./serve-documents.ts";

/** The child process that finds the elements of messages for an engine that does not run in a child of its own. */
await serveDocuments((document, messages) => ({
  messages: [],
  language: "",
  elements: elementKeys(parseDocument(document).document, document, messages),
}));
