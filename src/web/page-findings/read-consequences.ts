import type { CursorList, Resource } from "../../api/documents.ts";
import type { Api } from "../api.ts";

/** As many are folded under the faults of a page; a page may have thousands. */
const MAX_CONSEQUENCES = 100;

/** The first findings of a page that only follow from others. */
export async function readConsequences(
  api: Pick<Api, "get">,
  reportId: string,
  pageId: string,
): Promise<readonly Resource<"finding">[]> {
  const { data } = await api.get<CursorList<"finding">>(`/reports/${reportId}/findings`, {
    ...{ "filter[web_page_id]": pageId, "filter[consequence]": "true", "page[size]": String(MAX_CONSEQUENCES) },
  });
  return data;
}
