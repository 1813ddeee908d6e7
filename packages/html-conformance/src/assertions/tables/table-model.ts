import type { OpenElement, ReportProblem } from "../open-element.ts";
import { type Cell, spanOf, tooLarge } from "./table-cells.ts";
import { createColumns } from "./table-columns.ts";

const MAX_COLSPAN = 1000;
const MAX_ROWSPAN = 65534;
/** The most steps over spanning cells in one table, after which overlaps are not looked for: bounds the time. */
const MAX_STEPS = 5_000_000;
const TABLES = "https://html.spec.whatwg.org/multipage/tables.html#table-model";

export type Table = ReturnType<typeof createTable>;

/** One table, laid out as the standard forms it: https://html.spec.whatwg.org/multipage/tables.html#forming-a-table */
export function createTable(report: ReportProblem) {
  const columns = createColumns(report);
  let group: { open: OpenElement | undefined; row: number } | undefined;
  let row: { open: OpenElement; hasCells: boolean; insertAt: number; next: number } | undefined;
  /** Cells that reach into rows below their own, and those of them on the current row, from left to right. */
  let spanning: Cell[] = [];
  let onRow: readonly Cell[] = [];
  let steps = 0;

  return { open, close, end };

  function open(element: OpenElement): void {
    switch (element.name) {
      case "thead":
      case "tbody":
      case "tfoot":
        if (element.parent?.name !== "table") return;
        endGroup();
        group = { open: element, row: -1 };
        break;
      case "tr":
        if (!row && (element.parent?.name === "table" || element.parent === group?.open)) startRow(element);
        break;
      case "td":
      case "th":
        if (row && element.parent === row.open) addCell(element);
        break;
      case "colgroup":
      case "col":
        columns.open(element);
    }
  }

  function close(element: OpenElement): void {
    if (element === row?.open) endRow();
    else if (group?.open && element === group.open) endGroup();
    else if (element.name === "colgroup") columns.close(element);
  }

  function end(): void {
    endGroup();
    columns.end();
  }

  function startRow(element: OpenElement): void {
    group ??= { open: undefined, row: -1 };
    group.row++;
    row = { open: element, hasCells: false, insertAt: 0, next: 0 };
    steps += spanning.length;
    if (steps > MAX_STEPS) spanning = [];
    onRow = spanning.length === 0 ? [] : spanning.toSorted((a, b) => a.left - b.left);
    columns.startRow();
  }

  function addCell(element: OpenElement): void {
    if (!row || !group) return;
    row.hasCells = true;
    moveOn();
    const rowspan = span(element, "rowspan", 1, MAX_ROWSPAN);
    const colspan = span(element, "colspan", 1, MAX_COLSPAN) || 1;
    const cell: Cell = {
      open: element,
      left: row.insertAt,
      right: row.insertAt + colspan,
      bottom: rowspan === 0 || rowspan === MAX_ROWSPAN ? Number.POSITIVE_INFINITY : group.row + rowspan,
    };
    columns.addCell(cell);
    if (cell.bottom > group.row + 1) spanning.push(cell);
    row.insertAt = cell.right;
    for (let i = row.next; i < onRow.length; i++, steps++) {
      const other = onRow[i];
      if (!other || other.left >= cell.right) break;
      overlap(other, cell);
    }
  }

  /** Moves to the first column that no cell from above covers. */
  function moveOn(): void {
    if (!row) return;
    for (let other = onRow[row.next]; other && row.insertAt >= other.left; other = onRow[++row.next])
      row.insertAt = Math.max(row.insertAt, other.right);
  }

  function overlap(earlier: Cell, later: Cell): void {
    for (const [{ open }, message] of [
      [earlier, `This <${earlier.open.name}> is overlapped by a later cell.`],
      [later, `This <${later.open.name}> overlaps an earlier cell.`],
    ] as const)
      report(open, { rule: "table/overlap", message, section: TABLES });
  }

  function endRow(): void {
    if (!row || !group) return;
    if (!row.hasCells)
      report(row.open, {
        rule: "table/empty-row",
        message: `Row ${group.row + 1} of ${groupName(group.open)} has no cells that begin on it.`,
        section: TABLES,
        atEnd: true,
      });
    moveOn();
    columns.endRow(row.open, row.insertAt);
    const below = group.row + 1;
    if (spanning.some((cell) => cell.bottom <= below)) spanning = spanning.filter((cell) => cell.bottom > below);
    row = undefined;
  }

  function endGroup(): void {
    if (row) endRow();
    for (const cell of spanning)
      if (cell.bottom !== Number.POSITIVE_INFINITY && group)
        report(cell.open, {
          rule: "table/rowspan",
          message: `This <${cell.open.name}> spans more rows than ${groupName(group.open)} has.`,
          section: TABLES,
          attribute: "rowspan",
        });
    spanning = [];
    group = undefined;
  }

  function span(element: OpenElement, name: string, otherwise: number, most: number): number {
    const number = spanOf(element, name) ?? otherwise;
    if (number <= most) return number;
    tooLarge(report, element, name, most);
    return most;
  }
}

function groupName(open: OpenElement | undefined): string {
  return open ? `this <${open.name}>` : "this <table>";
}
