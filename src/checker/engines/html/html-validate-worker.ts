import { createHtmlCheck } from "../html-validate/check.ts";
import { serveDocuments } from "./serve-documents.ts";

/** The child process of html-validate. */
const check = createHtmlCheck();
serveDocuments(({ source }) => check(source));
