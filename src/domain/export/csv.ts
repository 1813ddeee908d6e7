import { stringify } from "csv-stringify/sync";
import { logCell } from "html-conformance/log-text";
import type { Exported, ExportedFinding, ExportFormat } from "./exported.ts";

const columns: readonly (keyof ExportedFinding)[] = [
  ...([
    "page_url",
    "kind",
    "rule",
    "issue_type",
    "outside_standard",
    "impact",
    "state",
    "message",
    "how_many",
  ] as const),
  ...([
    "line",
    "column",
    "target",
    "selector",
    "html",
    "help_url",
    "tags",
    "first_seen_at",
    "muted",
    "fingerprint",
    "component",
    "fault",
    "cause",
    "role",
  ] as const),
];

/** Without a byte order mark, spreadsheets assume a legacy encoding. */
export const BYTE_ORDER_MARK = "\uFEFF";

/** Rows by RFC 4180, with an apostrophe before what a spreadsheet would compute. */
export const csvLines = (rows: readonly unknown[][]): string =>
  stringify(rows as unknown[][], {
    record_delimiter: "windows",
    // Line breaks of any kind are quoted (RFC 4180, section 2.6), and so are other separators that spreadsheets use.
    quoted_match: /[\r\n\t;|]/,
    cast: { boolean: String, string: (text) => logCell(text.replace(FORMULA, "'$&")) },
  });

/**
 * The start of a formula, which a spreadsheet would compute: pages decide what is in a cell. It may follow invisible
 * characters, a quote, or a separator other than the comma, as Excel uses in half of Europe.
 */
const FORMULA = /(?<=(?:^|[;\t\r\n|])[\s\p{C}"]*)[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/gu;

async function* write({ pages }: Exported): AsyncIterable<string> {
  yield BYTE_ORDER_MARK + csvLines([[...columns]]);
  for await (const { findings } of pages())
    if (findings.length > 0)
      yield csvLines(findings.map((finding) => columns.map((column) => cell(finding[column], column))));
}

/** The value of a cell. Tags are words, so a space separates them. */
function cell(value: ExportedFinding[keyof ExportedFinding], column: string): unknown {
  return column === "tags" ? (value as readonly string[]).join(" ") : value;
}

/** RFC 4180, safe to open in spreadsheets. */
export const csv: ExportFormat = {
  title: "CSV",
  description: "RFC 4180 with a header, for spreadsheets: an apostrophe precedes what they would compute.",
  mediaType: "text/csv",
  write,
};
