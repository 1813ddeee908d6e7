import { csv } from "./csv.ts";
import type { ExportFormat } from "./exported.ts";
import { junit } from "./junit.ts";
import { ndjson } from "./ndjson.ts";
import { sarif } from "./sarif.ts";

/** The formats by the extension of an export's URL. A client that accepts anything gets the first. */
export const exportFormats = { ndjson, csv, sarif, junit } as const satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof exportFormats;
