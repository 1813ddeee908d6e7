import { isDay } from "../calendar-day.ts";

/** Which program a file of page views comes from; `csv` is any table with a column of addresses and one of views. */
export const viewsFormats = ["csv", "matomo", "plausible"] as const;
export type ViewsFormat = (typeof viewsFormats)[number];

/** How often a page was viewed, as a row says it. */
export type ViewsRow = {
  /** A path, an address, or an address without its scheme. */
  address: string;
  /** Where the row names it apart from the path. */
  host: string | undefined;
  views: number;
};

export type ViewsFile = {
  format: ViewsFormat;
  rows: ViewsRow[];
  /** Rows that name no page, such as folders and the sum of all others. */
  without: { rows: number; views: number };
  /** The days that its rows are of, YYYY-MM-DD; null where they name none. */
  days: { first: string; last: string } | null;
};

/** More rows than a site has pages that people tell apart. */
export const MAX_VIEWS_ROWS = 200_000;
/** So much for one row: sums of them stay whole numbers. */
const MAX_VIEWS = 1_000_000_000_000;

type Columns = { page: readonly string[]; views: readonly string[] };

/**
 * The names of columns, of which the first that a file has counts. Matomo's are those of its API and of its pages in English;
 * Plausible's those of its dashboard (`pages.csv`) and of the export of a site (`imported_pages_….csv`).
 */
const columnsOf: Record<ViewsFormat, Columns> = {
  matomo: {
    page: ["metadata: url", "metadata_url", "url", "label"],
    views: ["pageviews", "nb_hits"],
  },
  plausible: { page: ["name", "page"], views: ["pageviews"] },
  csv: {
    page: ["path", "page", "url", "address", "page path", "page path and screen class", "landing page"],
    views: ["views", "page views", "pageviews"],
  },
};

/** A column that only one program writes beside those above. */
const telling: Partial<Record<ViewsFormat, string>> = { matomo: "label", plausible: "visitors" };

/** What is wrong with a file, in a sentence that says what is allowed. */
export class UnreadableViews extends Error {}

/**
 * Reads how often pages were viewed from a table with commas, semicolons or tabs, in the form of Matomo, Plausible, or with two
 * columns of any.
 *
 * @throws UnreadableViews
 */
export function readViewsFile(text: string): ViewsFile {
  if (text.startsWith("PK\u0003\u0004"))
    throw new UnreadableViews(
      "The file is an archive or a workbook. Unpack it, and choose the table of pages, such as pages.csv; save a workbook as CSV.",
    );
  const lines = linesOf(text);
  // Some programs write a heading and remarks above the table.
  const at = lines.findIndex(({ text: line }) => line.trim() !== "" && !line.startsWith("#"));
  const heading = lines[at];
  if (!heading)
    throw new UnreadableViews(
      "The file is empty. It needs a line with the names of its columns, and a row for each page.",
    );
  const separator = separatorOf(heading.text);
  const names = fieldsOf(heading.text, separator).map((name) => name.trim().toLowerCase());
  const { format, page, views } = columnsIn(names);
  const host = names.indexOf("hostname");
  const day = names.indexOf("date");
  const label = format === "matomo" ? names.indexOf("label") : -1;
  const file: ViewsFile = { format, rows: [], without: { rows: 0, views: 0 }, days: null };
  for (const line of lines.slice(at + 1)) {
    if (line.text.trim() === "" || line.text.startsWith("#")) continue;
    const fields = fieldsOf(line.text, separator);
    const number = numberIn(fields[views] ?? "", { line: line.number, column: names[views] ?? "" });
    const address = [fields[page], fields[label]].map((field) => field?.trim() ?? "").find(isAddress);
    if (address === undefined) {
      file.without.rows += 1;
      file.without.views += number;
      continue;
    }
    if (file.rows.length === MAX_VIEWS_ROWS)
      throw new UnreadableViews(
        `The file has more than ${MAX_VIEWS_ROWS} rows. Export one period, by page and not by day.`,
      );
    file.rows.push({ address, host: fields[host]?.trim() || undefined, views: number });
    const on = fields[day]?.trim() ?? "";
    if (isDay(on)) file.days = spread(file.days, on);
  }
  return file;
}

/** The columns of pages and views. @throws UnreadableViews */
function columnsIn(names: readonly string[]): { format: ViewsFormat; page: number; views: number } {
  const found = (Object.keys(columnsOf) as ViewsFormat[]).flatMap((format) => {
    const [page, views] = [columnsOf[format].page, columnsOf[format].views].map((known) => firstOf(known, names));
    const sign = telling[format];
    const isIt = page !== undefined && views !== undefined && (sign === undefined || names.includes(sign));
    return isIt ? [{ format, page, views }] : [];
  });
  const [known] = found;
  if (known) return known;
  const named = names.filter(Boolean).slice(0, 12).join(", ").slice(0, 300);
  throw new UnreadableViews(
    `The file has no column of pages with one of views: its columns are ${named || "without names"}. It needs path and views, as “path,views”, or what Matomo (label, pageviews; in English) or Plausible (name, visitors, pageviews) export of pages.`,
  );
}

function firstOf(known: readonly string[], names: readonly string[]): number | undefined {
  const name = known.find((one) => names.includes(one));
  return name === undefined ? undefined : names.indexOf(name);
}

/** Neither a folder's name nor words such as “Others”. */
function isAddress(text: string): boolean {
  return /^\/|^https?:\/\/|^[^\s/]+\.[^\s/]+(\/|$)/i.test(text);
}

/** Whole numbers, also with marks between thousands. @throws UnreadableViews */
function numberIn(text: string, { line, column }: { line: number; column: string }): number {
  const trimmed = text.trim();
  const plain = /^\d{1,3}([,.'’\u00a0\u202f ]\d{3})+$/.test(trimmed) ? trimmed.replace(/\D/g, "") : trimmed;
  const number = /^\d+$/.test(plain) ? Number(plain) : Number.NaN;
  if (number <= MAX_VIEWS) return number;
  throw new UnreadableViews(
    `Line ${line} has ${JSON.stringify(trimmed.slice(0, 40))} in the column ${column}. It must be a whole number up to ${MAX_VIEWS}.`,
  );
}

function spread(days: ViewsFile["days"], day: string): NonNullable<ViewsFile["days"]> {
  if (!days) return { first: day, last: day };
  return { first: day < days.first ? day : days.first, last: day > days.last ? day : days.last };
}

function separatorOf(heading: string): string {
  const count = (separator: string) => fieldsOf(heading, separator).length;
  return [",", ";", "\t"].reduce((best, other) => (count(other) > count(best) ? other : best));
}

/** Lines with their numbers from 1; a line break in quotes ends none (RFC 4180). */
function linesOf(text: string): { text: string; number: number }[] {
  const lines: { text: string; number: number }[] = [];
  let open: { parts: string[]; number: number } | undefined;
  for (const [index, part] of text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = open ?? { parts: [], number: index + 1 };
    line.parts.push(part);
    const turns = part.split('"').length % 2 === 0;
    open = turns === (open === undefined) ? line : undefined;
    if (!open) lines.push({ text: line.parts.join("\n"), number: line.number });
  }
  if (open) throw new UnreadableViews(`The quotation mark in line ${open.number} is not closed.`);
  return lines;
}

/** The fields of a line; what is in quotes may have the separator, and two quotes for one (RFC 4180). */
function fieldsOf(line: string, separator: string): string[] {
  const fields: string[] = [];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] as string;
    if (sign === '"' && isQuoted && line[at + 1] === '"') {
      field += sign;
      at += 1;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if (sign === separator && !isQuoted) {
      fields.push(field);
      field = "";
    } else field += sign;
  }
  return [...fields, field];
}
