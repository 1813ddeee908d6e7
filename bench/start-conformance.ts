import { createChecker } from "html-conformance";
import { isNote } from "html-conformance/messages";
import { grammarsOf } from "../src/checker/engines/grammar-store.ts";
import { readConfig } from "../src/config.ts";

/** The bare conformance engine. @returns how many findings a page has: notes are none */
export async function startConformance(): Promise<(url: string, source: string) => number> {
  const grammar = await grammarsOf(readConfig(process.env).cacheDir).load("html");
  const checker = createChecker(() => grammar);
  const encoding = { name: "utf-8", from: "header" } as const;
  return (url, source) => {
    const { messages } = checker.run(source, { url, contentType: "text/html", encoding });
    return messages.filter((message) => !isNote(message)).length;
  };
}
