import { logJson } from "html-conformance/log-text";
import type { Exported, ExportFormat } from "./exported.ts";

async function* write({ pages }: Exported): AsyncIterable<string> {
  for await (const { findings } of pages())
    if (findings.length > 0) yield findings.map((finding) => `${logJson(JSON.stringify(finding))}\n`).join("");
}

/** One JSON object per line, one line per finding. */
export const ndjson: ExportFormat = {
  title: "NDJSON",
  description: "One JSON object per line, one line per finding.",
  mediaType: "application/x-ndjson",
  write,
};
