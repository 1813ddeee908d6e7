import { type DocumentRule, formatValue, type OpenElement, tokens, value } from "../open-element.ts";
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
      for (const header of tokens(value(open, "headers") ?? "")) table.uses.push({ open, id: header });
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
