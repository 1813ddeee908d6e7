import type { FromSchema } from "json-schema-to-ts";
import type { List, Resource } from "../../api/documents.ts";
import { number, plural } from "../../domain/plural.ts";
import { answer, type Entry, fitting, PAGE_SIZE, shown, small, text } from "../answer.ts";
import { from, reportId, type Tool } from "../tool.ts";

const input = {
  type: "object",
  additionalProperties: false,
  required: ["report_id"],
  properties: { report_id: reportId, from },
} as const;

export const listCauses: Tool = {
  name: "list_causes",
  title: "List what to change",
  description:
    "The errors of a report by cause: what is changed once, and how many errors that removes. Those that remove most come first.",
  input,
  writes: false,
  asksSites: false,
  async run({ report_id, from }: FromSchema<typeof input>, { api }) {
    const skipped = (from - 1) % PAGE_SIZE;
    const { data, meta } = await api.get<List<"cause">>(`/reports/${report_id}/causes`, pageAt(from));
    const entries = fitting(data.slice(skipped).map(causeEntry));
    const { how_many, verified, total } = meta;
    return answer(
      [
        `${plural(total, "cause")} of ${plural(how_many, "error")}; ${number(verified)} were gone when the change was tried in copies of their pages.`,
        ...shown(from, entries.length, total, "list_causes"),
      ],
      entries,
      entries.length > 0
        ? ["list_findings with the id of a cause has its findings; get_rule says how to fix a rule."]
        : [],
    );
  },
};

/** The page of a list that has the entry of this number, from 1. */
export function pageAt(from: number): Record<string, string> {
  return { "page[number]": String(Math.floor((from - 1) / PAGE_SIZE) + 1), "page[size]": String(PAGE_SIZE) };
}

export function causeEntry({ id, attributes }: Resource<"cause">): Entry {
  const {
    number: at,
    title,
    kind,
    rule,
    how_many,
    verified,
    num_pages,
    num_places,
    role,
    place,
    url,
    change,
  } = attributes;
  const { known_by, impact, element } = attributes;
  return small(
    {
      ...{ number: at, cause: id, title: text(title), kind, rule: text(rule) },
      ...{ removes: how_many, verified, known_by, pages: num_pages, places: num_places, who: role },
      ...(impact !== null && { impact }),
      place: text(place, 160),
      page: text(url),
      extract: text(element?.extract, 160),
      ...(change && { change: { before: text(change.before), after: text(change.after) } }),
    },
    "change",
    undefined,
  );
}
