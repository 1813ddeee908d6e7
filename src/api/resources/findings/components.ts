import { type Component, listComponents } from "../../../database/findings/list-components.ts";
import { type FindPicture, readPictures } from "../../../database/reports/element-pictures.ts";
import { componentSortKeys } from "../../../domain/findings/components.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { impactOf } from "../../../domain/findings/findings.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context, Route } from "../../context.ts";
import type { List, Resource } from "../../documents.ts";
import {
  choiceParameter,
  MUTED_LEFT_OUT,
  ownStateParameter,
  pageParameters,
  sortParameter,
} from "../../http/request/parameters.ts";
import { list, related } from "../../http/response/documents.ts";
import { componentMeta } from "../../openapi/response-schemas/findings.ts";
import { pageUrl, reportUrl } from "../reports/report-access.ts";
import { elementAttributes, pictureAttributes, ruleAttributes } from "./finding-attributes.ts";
import { findingFilter, findingFilters } from "./finding-filter.ts";

const filters = findingFilters({
  state: ownStateParameter("Counts only elements in this state"),
  path: "Counts only elements on pages",
});

export const components: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/components",
    id: "listComponents",
    tag: "Issues",
    summary: "List what has to be fixed once",
    description: `A component is the findings of one rule at the same element of several pages, such as a fault in a template. Those on the most pages come first. ${MUTED_LEFT_OUT}`,
    success: { kind: "list", type: "component", meta: componentMeta },
    access: "shared",
    site: "report",
    parameters: [
      ...filters,
      choiceParameter("filter[repeated]", "true: only components on several pages, where one change mends them all.", [
        "true",
        "false",
      ]),
      sortParameter(
        "The sort order: by severity, by the number of elements, or by the number of pages.",
        componentSortKeys,
        "pages-desc",
      ),
      ...pageParameters,
    ],
    isHeavy: true,
    handle: async (context) => {
      const { deps, query } = context;
      const page = query.page();
      const sort = query.sort(componentSortKeys) ?? { key: "pages", direction: "desc" };
      const { reportId, filter } = await findingFilter(context, ownStates);
      const repeated = query.choice("filter[repeated]", ["true", "false"]) === "true";
      const found = await listComponents(deps.db, reportId, { ...filter, repeated }, sort, page);
      const meta = { how_many: found.howMany, largest: found.largest } satisfies Partial<List<"component">["meta"]>;
      const pictures = await readPictures(
        deps.db,
        found.rows.map(({ example }) => example.web_page_id),
      );
      const guides = await deps.guides();
      return list(context, page, { ...found, meta }, (row) =>
        componentDocument(context, reportId, row, pictures, guides),
      );
    },
  },
];

function componentDocument(
  context: Context,
  reportId: string,
  component: Component,
  pictures: FindPicture,
  guides: Guides,
): Resource<"component"> {
  const { id, issue_type, impact_order, how_many, num_pages, example } = component;
  const report = reportUrl(context, reportId);
  return {
    id,
    type: "component",
    attributes: {
      ...ruleAttributes(example, guides),
      issue_type,
      impact: impactOf(impact_order),
      impact_order,
      how_many,
      num_pages,
      role: example.role,
      url: example.url,
      element: elementAttributes(
        example.element,
        pictureAttributes(context, pictures(example.web_page_id, example.element?.box), reportId),
      ),
    },
    relationships: related({
      report,
      web_page: pageUrl(context, example),
      findings: `${report}/findings?${findingsOf(context, id)}`,
    }),
  };
}

/** The query for the findings of a component, with the same filters. */
function findingsOf({ self }: Context, component: string): URLSearchParams {
  const same = [...self.query].filter(([name]) => filters.some((filter) => filter.name === name));
  return new URLSearchParams([["filter[component]", component], ...same]);
}
