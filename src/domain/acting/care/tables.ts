import type { CareFault, Seen, SeenCell, SeenTable } from "./seen.ts";
import { short } from "./seen.ts";

/** Numbers, dates, prices, marks: what stands in a table of data. */
const VALUE =
  /^[\s\d.,:%€$£¥+\-–—/()×xX*✓✔✗✘°<>=~]*\d[\s\d.,:%€$£¥+\-–—/()°A-Za-z]{0,12}$|^(?:yes|no|n\/a|[✓✔✗✘xX–—-])$/i;
const MAX_CELL = 80;

/** Tables of data whose cells nobody can follow to what heads them. */
export function judgeTables({ tables, preformatted }: Pick<Seen, "tables" | "preformatted">): CareFault[] {
  const fault = (id: number, summary: string): CareFault => ({ rule: "sv-table-headers", id, review: true, summary });
  const spaced = preformatted.filter(({ text }) => isTabular(text));
  return [
    ...tables.flatMap((table) => {
      const summary = faultOf(table);
      return summary === undefined ? [] : [fault(table.id, summary)];
    }),
    ...spaced.map(({ id, text }) =>
      fault(
        id,
        `Columns of this text are made by spaces, from "${short(text.trim().split("\n")[0] ?? "")}": nobody can tell which value belongs to which of them.`,
      ),
    ),
  ];
}

function faultOf(table: SeenTable): string | undefined {
  const { rows, role, caption } = table;
  if (/^(?:presentation|none)$/.test(role)) {
    const isData = rows.some(({ cells }) => cells.some(({ isHeader }) => isHeader));
    return isData ? "This table has header cells, and its role says that it is no table." : undefined;
  }
  const cells = rows.flatMap((row) => row.cells);
  const headers = cells.filter(({ isHeader }) => isHeader);
  if (headers.length === 0)
    return isData(table)
      ? `This seems to be a table of data${caption === "" ? "" : ` ("${short(caption)}")`}, and none of its cells is a header (<th>).`
      : undefined;
  const [first] = rows;
  // The corner of a table that has headers in two directions is empty by right.
  const empty = headers.filter(({ text, hasControl }) => text === "" && !hasControl);
  if (empty.some((cell) => cell !== first?.cells[0])) return "A header cell of this table is empty.";
  return misplacedName(table) ?? unclearHeaders(table, headers);
}

/** The name of a table as a cell, and a table in a cell. */
function misplacedName({ rows: [first, second], caption, isNested, rows }: SeenTable): string | undefined {
  const spans = first?.cells.length === 1 && first.cells[0]?.isHeader && (second?.cells.length ?? 0) > 1;
  if (spans && caption === "" && second?.cells.every(({ isHeader }) => isHeader))
    return `The first row of this table, "${short(first.cells[0]?.text ?? "")}", seems to be its name: it is a header of all cells instead of a <caption>.`;
  if (isNested && rows.some(({ cells }) => cells.some(({ hasTable }) => hasTable)))
    return "A cell of this table of data has a table in it: who reads it cell by cell loses the place.";
  return undefined;
}

/** Headers of which nobody can tell what they head. */
function unclearHeaders(table: SeenTable, headers: readonly SeenCell[]): string | undefined {
  // The foot of a long table may say its headers once more.
  const rows = table.rows.filter(({ isInFoot }) => !isInFoot);
  const named = table.hasHeaders || headers.some(({ scope }) => scope !== "");
  const across = rows.filter((row) => row.cells.length > 1 && row.cells.every(({ isHeader }) => isHeader)).length;
  const down = rows.filter(
    (row) => row.cells[0]?.isHeader && row.cells.slice(1).some(({ isHeader }) => !isHeader),
  ).length;
  if (named) return undefined;
  if (across > 1 && down > 0)
    return "Several rows and a column of this table are headers, and neither scope nor headers says of what.";
  const inside = rows.some((row, at) => at > 0 && row.cells.length > 1 && row.cells.every(({ isHeader }) => isHeader));
  if (across > 1 && inside && rows.length > across)
    return "Rows of headers stand in the middle of this table, and neither scope nor headers says for which cells.";
  return rows.every(({ cells }) => cells.every(({ isHeader }) => isHeader)) && table.numRows > 2
    ? "All cells of this table are headers."
    : undefined;
}

/** By its shape and what is in it; a table that only lays out a page has long texts, controls, or one row or column. */
function isData(table: SeenTable): boolean {
  const { rows, numRows, isNested, hasBorders, caption } = table;
  const width = rows[0]?.cells.length ?? 0;
  if (numRows < 2 || width < 2 || isNested) return false;
  if (!rows.every(({ cells }) => Math.abs(cells.length - width) < 2)) return false;
  const cells = rows.flatMap((row) => row.cells);
  if (cells.filter(({ hasControl }) => hasControl).length * 4 > cells.length) return false;
  if (cells.some(({ text }) => text.length > 3 * MAX_CELL)) return false;
  if (cells.filter(({ text }) => text.length > MAX_CELL).length * 4 > cells.length) return false;
  const isFilled = cells.filter(({ text }) => text !== "").length * 2 > cells.length;
  if (!isFilled) return false;
  const [head, ...body] = rows;
  const isSaid = caption !== "" || rows.some(({ isInHead }) => isInHead);
  const looksLikeHead = allBold(head?.cells ?? []) && !body.every(({ cells: own }) => allBold(own));
  const firsts = body.flatMap((row) => row.cells.slice(0, 1));
  const looksLikeSide = firsts.length > 1 && allBold(firsts) && !cells.every(({ isBold }) => isBold);
  const columns = Array.from({ length: width }, (_, at) => body.flatMap((row) => row.cells.slice(at, at + 1)));
  const hasValues = columns.some((own) => own.length > 1 && own.every(({ text }) => VALUE.test(text)));
  const headIsWords = (head?.cells ?? []).every(({ text }) => text === "" || !VALUE.test(text));
  if (isSaid || looksLikeHead || looksLikeSide) return true;
  return hasValues && (headIsWords || hasBorders) && (numRows > 2 || hasBorders);
}

function allBold(cells: readonly SeenCell[]): boolean {
  const filled = cells.filter(({ text }) => text !== "");
  return filled.length > 1 && filled.every(({ isBold }) => isBold);
}

/** Three lines and more whose words begin at the same columns, behind two spaces or a tab. */
function isTabular(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length < 3 || /[{};]|=>|<\/|^\s*(?:\$|#|>|\/\/)/m.test(text)) return false;
  const columnsOf = (line: string) => line.trim().split(/\t+| {2,}/).length;
  const wide = lines.filter((line) => columnsOf(line) > 1);
  return wide.length >= 3 && wide.length * 4 >= lines.length * 3 && wide.some((line) => /\t| {3,}/.test(line.trim()));
}
