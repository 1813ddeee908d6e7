import { csv } from "./csv.ts";
import type { ExportFormat } from "./exported.ts";
import { junit } from "./junit.ts";
import { ndjson } from "./ndjson.ts";
import { sarif } from "./sarif.ts";
import { sheet } from "./sheet.ts";

/** The formats by the extension of an export's URL. A client that accepts anything gets the first, and one that accepts a type the first of it. */
export const exportFormats = { ndjson, csv, sheet, sarif, junit } as const satisfies Record<string, ExportFormat>;

export type ExportFormatName = keyof typeof exportFormats;
