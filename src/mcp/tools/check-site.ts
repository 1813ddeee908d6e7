import type { FromSchema } from "json-schema-to-ts";
import type { One } from "../../api/documents.ts";
import { checkKinds, manifestOf } from "../../checks/kinds.ts";
import { snakeCase } from "../../schema/api-names.ts";
import { MAX_URL_LENGTH } from "../../settings/values.ts";
import { answer } from "../answer.ts";
import type { Tool } from "../tool.ts";

const input = {
  type: "object",
  additionalProperties: false,
  required: ["url"],
  properties: {
    url: { type: "string", maxLength: MAX_URL_LENGTH, description: "Where to start: http or https." },
    max_pages: { type: "integer", minimum: 1, maximum: 10_000, default: 1, description: "The most pages to check." },
    checks: {
      type: "array",
      minItems: 1,
      uniqueItems: true,
      items: { type: "string", enum: checkKinds },
      default: ["html"],
      description: "html: the standard; a11y: accessibility, in a browser; links: what pages name.",
    },
  },
} as const;

export const checkSite: Tool = {
  name: "check_site",
  title: "Check a page or a site",
  description:
    "Starts a report on a page (max_pages: 1) or on a site, whose pages are found by links. Only addresses that its user has allowed are asked. Answers with the report's id; get_report says how far it is, and what to fix first.",
  input,
  writes: true,
  asksSites: true,
  async run({ url, max_pages, checks }: FromSchema<typeof input>, { api, requireAllowed }) {
    requireAllowed(url);
    const performed = checkKinds.map((kind) => [snakeCase(manifestOf(kind).settings.perform), checks.includes(kind)]);
    const { data } = await api.post<One<"report">>("/reports", {
      ...{ starting_url: url, max_pages },
      ...Object.fromEntries(performed),
    });
    return answer([`Started: report ${data.id}. Call get_report with this id for its result.`], []);
  },
};
