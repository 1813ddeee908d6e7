import { htmlSection } from "../../finding.ts";
import {
  type DocumentRule,
  formatValue,
  type OpenElement,
  type ReportProblem,
  tokens,
  value,
} from "../open-element.ts";
import { elementSection } from "../sections.ts";
import { createTable, type Table } from "./table-model.ts";

/** The geometry of tables. */
export const watchTables: DocumentRule = (report) => {
  const tables: Table[] = [];
  return {
    names: ["table", "thead", "tbody", "tfoot", "tr", "td", "th", "colgroup", "col"],
    inTemplates: true,
    open(open) {
      const { name } = open;
      if (name === "table") tables.push(createTable(report));
      else if (name) tables.at(-1)?.open(open);
    },
    close(open) {
      if (open.name === "table") tables.pop()?.end();
      else if (open.name) tables.at(-1)?.close(open);
    },
  };
};

/** False for a cell outside of a row, such as in a template, which is not part of a table. */
function isInRow({ parent, inTemplate }: OpenElement): boolean {
  return !inTemplate || parent?.name === "tr" || (parent?.name === "template" && parent.parent?.name === "tr");
}

/** `headers` names header cells of the same table. */
export const watchTableHeaders: DocumentRule = (report) => {
  type Headers = { ids: Set<string>; uses: { open: OpenElement; id: string }[] };
  const tables: Headers[] = [];
  return {
    names: ["table", "td", "th"],
    inTemplates: true,
    open(open) {
      const { name, id } = open;
      if (name === "table") tables.push({ ids: new Set(), uses: [] });
      if ((name !== "td" && name !== "th") || !isInRow(open)) return;
      const table = tables.at(-1);
      if (!table) return;
      if (name === "th" && id) table.ids.add(id);
      for (const header of tokens(value(open, "headers") ?? "")) {
        if (name === "th" && header === id)
          report(open, {
            rule: "table/headers",
            message: 'The attribute "headers" of this <th> names the cell itself.',
            section: htmlSection("tables.html#attr-tdth-headers"),
            attribute: "headers",
          });
        table.uses.push({ open, id: header });
      }
      if (name === "th") checkScope(open, report);
    },
    close({ name }) {
      if (name !== "table") return;
      const table = tables.pop();
      for (const { open, id } of table?.uses ?? [])
        if (!table?.ids.has(id))
          report(open, {
            rule: "dangling-reference/headers",
            message: `The value "${formatValue(id)}" in the attribute "headers" of <${open.name}> is not the ID of a <th> in the same table.`,
            section: elementSection(open.name),
            attribute: "headers",
          });
    },
  };
};

/** A scope of a group needs the group: rows in a row group, columns in a column group. */
function checkScope(open: OpenElement, report: ReportProblem): void {
  const scope = value(open, "scope")?.toLowerCase();
  const group = open.parent?.parent;
  if (!group || (scope !== "rowgroup" && scope !== "colgroup")) return;
  const table = group.name === "table" ? group : group.parent;
  const hasGroup =
    scope === "rowgroup"
      ? group.name !== "table"
      : table?.element.childNodes.some(({ nodeName }) => nodeName === "colgroup");
  if (hasGroup) return;
  report(open, {
    rule: "table/scope",
    message: `The value "${scope}" of the attribute "scope" needs a ${scope === "rowgroup" ? "<tbody>, <thead> or <tfoot> around the row" : "<colgroup> in the table"}.`,
    section: htmlSection("tables.html#attr-th-scope"),
    attribute: "scope",
  });
}
