import { createConformanceChecker } from "../src/checker/engines/conformance/engine.ts";
import { loadGrammar } from "../src/checker/engines/grammar-store.ts";
import { readConfig } from "../src/config.ts";
import { isNote } from "../src/domain/findings/html-message.ts";

/** The bare conformance engine. @returns how many findings a page has: notes are none */
export async function startConformance(): Promise<(url: string, source: string) => number> {
  const { grammar } = await loadGrammar(readConfig(process.env).cacheDir, "html");
  const checker = createConformanceChecker(() => grammar);
  const encoding = { name: "utf-8", from: "header" } as const;
  return (url, source) => {
    const { messages } = checker.run({ url, source, contentType: "text/html", encoding });
    return messages.filter((message) => !isNote(message)).length;
  };
}
