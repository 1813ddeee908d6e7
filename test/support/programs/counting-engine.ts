import { serveDocuments } from "../../../src/checker/engines/html/serve-documents.ts";

/** The process of an HTML engine that finds nothing, and says how many documents it has checked before. */
let checked = 0;
await serveDocuments(() => ({ messages: [], elements: [], language: String(checked++) }));
