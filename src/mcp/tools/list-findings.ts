import type { FromSchema } from "json-schema-to-ts";
import type { CursorList, List, Resource } from "../../api/documents.ts";
import { checkKinds } from "../../checks/kinds.ts";
import { UsageError } from "../../domain/errors.ts";
import { MAX_URL_LENGTH } from "../../settings/values.ts";
import { answer, type Entry, fitting, PAGE_SIZE, small, text } from "../answer.ts";
import { type Api, reportId, type Tool } from "../tool.ts";

const input = {
  type: "object",
  additionalProperties: false,
  required: ["report_id"],
  properties: {
    report_id: reportId,
    page_url: { type: "string", maxLength: MAX_URL_LENGTH, description: "Of one page, by its exact URL." },
    rule: { type: "string", maxLength: 200, description: "Of one rule, by its name." },
    kind: { type: "string", enum: checkKinds, description: "Of one kind of check." },
    cause: { type: "string", pattern: "^[0-9a-f]{20}$", description: "Of one cause, by its id." },
    cursor: { type: "string", maxLength: 2_000, description: "Where to go on, from the answer before." },
  },
} as const;

export const listFindings: Tool = {
  name: "list_findings",
  title: "List findings",
  description:
    "The findings of a report: all, or those of one page, one rule or one cause. Errors first, the most severe first. Without muted ones.",
  input,
  writes: false,
  asksSites: false,
  async run({ report_id, page_url, rule, kind, cause, cursor }: FromSchema<typeof input>, { api }) {
    const filter = {
      ...(page_url !== undefined && { "filter[web_page_id]": await pageId(api, report_id, page_url) }),
      ...(rule !== undefined && { "filter[rule]": rule }),
      ...(kind !== undefined && { "filter[kind]": kind }),
      ...(cause !== undefined && { "filter[cause]": cause }),
      ...(cursor !== undefined && { "page[after]": cursor }),
    };
    const read = (size: number) =>
      api.get<CursorList<"finding">>(`/reports/${report_id}/findings`, { ...filter, "page[size]": String(size) });
    const first = await read(PAGE_SIZE);
    const fits = fitting(first.data.map(findingEntry)).length;
    // The cursor is that of the last one that is shown.
    const { data, links } = fits < first.data.length ? await read(fits) : first;
    const next = links.next === null ? null : new URL(links.next).searchParams.get("page[after]");
    const sentences = [
      data.length === 0 ? "No findings." : `${data.length} findings${next === null ? "" : ", and there are more"}.`,
      ...(next === null ? [] : [`For more, call list_findings again with the same arguments and cursor: ${next}`]),
    ];
    return answer(sentences, data.map(findingEntry));
  },
};

/** @throws UsageError when the report has no page of that URL */
async function pageId(api: Api, report: string, url: string): Promise<string> {
  const query = { "filter[url]": url, "page[size]": "100" };
  const { data } = await api.get<List<"web_page">>(`/reports/${report}/web_pages`, query);
  const found = data.find(({ attributes }) => attributes.url === url);
  if (found) return found.id;
  throw new UsageError("The report has no page with this exact URL. list_causes has URLs of pages.");
}

function findingEntry({ attributes }: Resource<"finding">): Entry {
  const { kind, rule, issue_type, impact, message, url, element, how_many, fingerprint, cause } = attributes;
  const { coordinates: at, caused_by: by, fix } = element ?? {};
  const entry = {
    ...{ severity: issue_type, kind, rule: text(rule) },
    ...(impact !== null && { impact }),
    message: text(message),
    page: text(url),
    ...(at && { at: `${at.first_line}:${at.first_column ?? at.last_column}` }),
    selector: text(element?.target, 160),
    extract: text(element?.extract, 160),
    summary: text(element?.failure_summary, 160),
    ...(by && { follows_from: `${text(by.rule)} at ${by.first_line}:${by.first_column}` }),
    ...(fix && { fix: { title: text(fix.title), removes: fix.removes, edits: fix.edits } }),
    ...(how_many > 1 && { elements: how_many }),
    ...{ fingerprint, cause },
  };
  return small(entry, "fix", { title: text(fix?.title), left_out: "Its edits are larger than an answer." });
}
