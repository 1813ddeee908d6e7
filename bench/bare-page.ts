import { enableCompileCache } from "node:module";

/**
 * The baseline for a report's first finding: fetches one page, runs the conformance engine on it, and prints how
 * many findings it has.
 *
 *     node bench/bare-page.ts URL      (COMPILED: the folder for compiled code)
 */
if (process.env.COMPILED) enableCompileCache(process.env.COMPILED);
const { startConformance } = await import("./start-conformance.ts");
const url = process.argv[2] ?? "";
// The page comes while the engine starts.
const [source, findingsOf] = await Promise.all([fetch(url).then((response) => response.text()), startConformance()]);
console.log(findingsOf(url, source));
