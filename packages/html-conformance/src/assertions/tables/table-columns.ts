import type { OpenElement, ReportProblem } from "../open-element.ts";
import { type Cell, spanOf, tooLarge } from "./table-cells.ts";

const MAX_SPAN = 1000;
const TABLES = "https://html.spec.whatwg.org/multipage/tables.html#table-model";

/** Columns in which no cell has begun yet: from `left` to before `right`. */
type Range = { open: OpenElement; left: number; right: number; next: Range | undefined };

/** The columns of one table: how many there are, and in which no cell begins. */
export function createColumns(report: ReportProblem) {
  let first: Range | undefined;
  let last: Range | undefined;
  /** The first range that is not left of the cells of this row, and the one before it. */
  let current: Range | undefined;
  let previous: Range | undefined;
  /** The width of the table: by its columns, or by its first row; undefined before. */
  let width: number | undefined;
  let isByColumns = false;
  /** The number of columns known so far. */
  let known = 0;
  let pending: { open: OpenElement; span: number } | undefined;

  return { open, close, startRow, addCell, endRow, end };

  function open(element: OpenElement): void {
    const isColumn = element.name === "col";
    const given = spanOf(element, "span");
    if (given !== undefined && given > MAX_SPAN) tooLarge(report, element, "span", MAX_SPAN);
    const span = Math.min(given || 1, MAX_SPAN);
    isByColumns = true;
    if (!isColumn) pending = { open: element, span };
    else {
      if (pending && element.parent === pending.open && spanOf(pending.open, "span") !== undefined)
        ignoredSpan(element);
      pending = undefined;
      addColumns(element, span);
    }
  }

  function close(element: OpenElement): void {
    if (pending?.open === element) addColumns(element, pending.span);
    pending = undefined;
  }

  function addColumns(element: OpenElement, span: number): void {
    const left = width ?? 0;
    append(element, left, left + span);
    width = left + span;
    known = width;
  }

  function ignoredSpan(element: OpenElement): void {
    report(element, {
      severity: "warning",
      rule: "table/colgroup-span",
      message: 'This <col> takes the effect from the attribute "span" of its <colgroup>.',
      section: TABLES,
    });
  }

  function append(element: OpenElement, left: number, right: number): void {
    const range: Range = { open: element, left, right, next: undefined };
    if (last) last.next = range;
    else first = range;
    last = range;
  }

  function startRow(): void {
    current = first;
    previous = undefined;
  }

  /** Adds a cell: it begins in its first column, and may span new columns. */
  function addCell({ open, left, right }: Cell): void {
    if (right > known) {
      const isNew = left === known;
      const from = isNew ? left + 1 : known;
      if (from < right) append(open, from, right);
      known = right;
      if (isNew) return;
    }
    while (current && left >= current.right) {
      previous = current;
      current = current.next;
    }
    if (current && left >= current.left) take(current, left);
  }

  /** Removes a column from its range. */
  function take(range: Range, column: number): void {
    if (range.right === range.left + 1) {
      current = range.next;
      if (previous) previous.next = current;
      else first = current;
      if (!current) last = previous;
    } else if (column === range.left) range.left++;
    else if (column === range.right - 1) range.right--;
    else {
      const rest: Range = { ...range, left: column + 1 };
      range.right = column;
      range.next = rest;
      previous = range;
      current = rest;
      if (last === range) last = rest;
    }
  }

  function endRow(row: OpenElement, columns: number): void {
    if (width === undefined) width = columns;
    else if (columns !== width)
      report(row, {
        ...(!isByColumns && { severity: "warning" }),
        rule: "table/row-width",
        message: `This row is ${columns} columns wide; ${isByColumns ? "<col> and <colgroup> say" : "the first row says"} ${width}.`,
        section: TABLES,
        atEnd: true,
      });
  }

  function end(): void {
    for (let range = first; range; range = range.next) {
      const { open, left, right } = range;
      report(open, {
        atEnd: open.name === "colgroup",
        rule: "table/empty-column",
        message:
          left + 1 === right
            ? `No cell begins in column ${right}, which this <${open.name}> makes.`
            : `No cell begins in the columns ${left + 1} to ${right}, which this <${open.name}> makes.`,
        section: TABLES,
      });
    }
  }
}
