import { csv } from "./csv.ts";
import type { ExportFormat } from "./exported.ts";
import { junit } from "./junit.ts";
import { ndjson } from "./ndjson.ts";
import { sarif } from "./sarif.ts";

/** By the extension of an export's address. The first is that of a client that accepts anything. */
export const exportFormats = { ndjson, csv, sarif, junit } as const satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof exportFormats;
