import { logJson } from "html-conformance/log-text";
import { BYTE_ORDER_MARK, csvLines } from "./csv.ts";

/** An entry of the audit log, by the names of its attributes. */
export type ExportedEntry = Readonly<Record<string, unknown>>;
type Batches = AsyncIterable<readonly ExportedEntry[]>;

const columns = [
  ...(["id", "at", "who", "who_id", "who_name", "operation", "verb", "area", "outcome", "target_type"] as const),
  ...(["target_id", "target_name", "target_path", "site_url", "via", "address", "agent", "request_id"] as const),
  "changes",
] as const;

async function* csv(entries: Batches): AsyncIterable<string> {
  yield BYTE_ORDER_MARK + csvLines([[...columns]]);
  for await (const batch of entries)
    yield csvLines(
      batch.map((entry) => columns.map((name) => (name === "changes" ? JSON.stringify(entry[name]) : entry[name]))),
    );
}

async function* ndjson(entries: Batches): AsyncIterable<string> {
  for await (const batch of entries) yield batch.map((entry) => `${logJson(JSON.stringify(entry))}\n`).join("");
}

/** The formats of exports of the log, by the extension of their address. */
export const auditFormats = {
  csv: { title: "CSV", mediaType: "text/csv", write: csv },
  ndjson: { title: "NDJSON", mediaType: "application/x-ndjson", write: ndjson },
} as const;
