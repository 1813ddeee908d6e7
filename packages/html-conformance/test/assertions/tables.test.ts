import { type AssertionRow, tryRows } from "../support/assertion-rows.ts";

const rows: readonly AssertionRow[] = [
  ["a table", "<table><tr><th>a<th>b<tr><td>c<td>d</table>"],
  ["a row without cells", "<table><tr><td>x</td></tr><tr></tr></table>", "table/empty-row", "table/row-width?"],
  ["a shorter row", "<table><tr><td>a<td>b<tr><td>c</table>", "table/row-width?"],
  ["a row longer than the columns", "<table><col><tr><td>a<td>b</table>", "table/row-width"],
  ["a cell that spans to below", "<table><tr><td rowspan=2>a<td>b<tr><td>c</table>"],
  [
    "a cell that spans past its group",
    "<table><tbody><tr><td rowspan=2>a</tbody><tbody><tr><td>x</tbody></table>",
    "table/rowspan",
  ],
  ["a cell that spans to the end of its group", "<table><tr><td rowspan=0>a<td>b<tr><td>c</table>"],
  [
    "cells that overlap",
    "<table><tr><td>a<td rowspan=2>b<tr><td colspan=2>c</table>",
    "table/overlap",
    "table/overlap",
  ],
  ["a column in which no cell begins", "<table><tr><td colspan=2>a</table>", "table/empty-column"],
  [
    "columns in which no cell begins",
    "<table><colgroup span=3></colgroup><tr><td colspan=3>a</table>",
    "table/empty-column",
  ],
  ["a column that a later cell begins in", "<table><tr><td colspan=3>a<tr><td>b<td>c<td>d</table>"],
  ["a column in the middle", "<table><tr><td colspan=3>a<tr><td colspan=2>b<td>c</table>", "table/empty-column"],
  [
    "a span of more than 1000 columns",
    "<table><col span=1001><tr><td>x</table>",
    "table/span-too-large",
    "table/empty-column",
    "table/row-width",
  ],
  ["a span beside col", "<table><colgroup span=2><col></colgroup><tr><td>x</table>", "table/colgroup-span?"],
  ["headers of a cell", "<table><tr><th id=a>a<th>b<tr><td headers=a>c<td>d</table>"],
  ["headers that are not in the table", "<table><tr><td headers=a>c</table>", "dangling-reference/headers"],
  ["headers of a cell without a row", "<table><template><th headers=a></th></template><tr><td>c</table>"],
  [
    "headers of a cell in a template",
    "<table><tr><template><th headers=a></th></template><td>c</table>",
    "dangling-reference/headers",
  ],
  [
    "headers in an outer table",
    "<table><tr><th id=a>a<table><tr><td headers=a>c</table></table>",
    "dangling-reference/headers",
  ],
  ["a table in a template", "<template><table><tr><td>a<td>b<tr><td>c</table></template>", "table/row-width?"],
];

describe("tables", () => tryRows(rows));
