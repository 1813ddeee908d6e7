export type TableRow = {
  cells: string[];
  /** Lines under the row, indented to its last column. */
  details: string[];
};

/**
 * Formats rows in aligned columns, each as wide as its longest cell. The last column is not padded.
 *
 * @param options.right the columns to align to the right
 */
export function table(head: string[], rows: TableRow[], options: { right: number[] }): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map(({ cells }) => cells[column]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => {
        if (column === cells.length - 1) return cell;
        const width = widths[column] ?? 0;
        return options.right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ");
  const indent = " ".repeat(widths.slice(0, -1).reduce((total, width) => total + width + 2, 2));
  return [
    line(head),
    ...rows.flatMap((row) => [line(row.cells), ...row.details.map((detail) => indent + detail)]),
  ].join("\n");
}
