import type { FromSchema } from "json-schema-to-ts";
import type { List } from "../../api/documents.ts";
import { plural } from "../../domain/plural.ts";
import { answer, fitting, PAGE_SIZE, shown, text } from "../answer.ts";
import { from, type Tool } from "../tool.ts";
import { pageAt } from "./list-causes.ts";

const input = { type: "object", additionalProperties: false, properties: { from } } as const;

export const listReports: Tool = {
  name: "list_reports",
  title: "List reports",
  description: "The reports that may be read, the latest first, with their ids.",
  input,
  writes: false,
  asksSites: false,
  async run({ from }: FromSchema<typeof input>, { api }) {
    const { data, meta } = await api.get<List<"report">>("/reports", pageAt(from));
    const entries = data.slice((from - 1) % PAGE_SIZE).map(({ id, attributes }) => {
      const { starting_url, phase, num_pages, inserted_at, checks } = attributes;
      const errors = Object.values(checks).reduce((sum, check) => sum + (check?.issues.errors ?? 0), 0);
      return { report_id: id, url: text(starting_url), phase, pages: num_pages, errors, created: inserted_at };
    });
    const few = fitting(entries);
    return answer([`${plural(meta.total, "report")}.`, ...shown(from, few.length, meta.total, "list_reports")], few);
  },
};
