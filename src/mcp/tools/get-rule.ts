import type { FromSchema } from "json-schema-to-ts";
import type { List } from "../../api/documents.ts";
import { checkKinds } from "../../checks/kinds.ts";
import { UsageError } from "../../domain/errors.ts";
import { plural } from "../../domain/plural.ts";
import { answer, MAX_BYTES } from "../answer.ts";
import { reportId, type Tool } from "../tool.ts";

const input = {
  type: "object",
  additionalProperties: false,
  required: ["rule"],
  properties: {
    rule: { type: "string", minLength: 1, maxLength: 200, description: "The name of the rule, such as img/alt." },
    kind: { type: "string", enum: checkKinds, description: "Its kind of check; without it, the first that has one." },
    report_id: { ...reportId, description: "A report to count it in." },
  },
} as const;

export const getRule: Tool = {
  name: "get_rule",
  title: "Read the guide to a rule",
  description:
    "What a rule is about, who is affected and how to fix it, with an example. With a report, also its counts.",
  input,
  writes: false,
  asksSites: false,
  async run({ rule, kind, report_id }: FromSchema<typeof input>, { api, guides }) {
    const all = await guides();
    const found = (kind ? [kind] : checkKinds).map((one) => all.find(one, rule)?.guide).find((guide) => guide);
    const counts: string[] = [];
    if (report_id !== undefined) {
      const query = { "filter[rule]": rule, ...(kind !== undefined && { "filter[kind]": kind }) };
      const { meta } = await api.get<List<"report_rule">>(`/reports/${report_id}/rules`, query);
      counts.push(`${plural(meta.how_many, "element")} in the report; list_findings with this rule has them.`);
    }
    if (!found) {
      if (counts.length > 0) return answer(["There is no guide to this rule.", ...counts], []);
      throw new UsageError("There is no guide to this rule. Rules are named as in findings, such as img/alt.");
    }
    const { title, parts, before, after, section } = found;
    const lines = [
      `# ${title}`,
      ...counts,
      ...parts.flatMap(({ heading, markdown }) => [`## ${heading}`, markdown]),
      ...["## Before", fenced(before.source), "## After", fenced(after.source)],
      ...(section ? [section] : []),
    ];
    return cut(lines.join("\n\n"));
  },
};

function fenced(source: string): string {
  return `\`\`\`html\n${source.trim()}\n\`\`\``;
}

/** Guides come with the program; none is as long as an answer may be (test/integration/mcp/tools.test.ts). */
function cut(text: string): string {
  return Buffer.from(text).subarray(0, MAX_BYTES).toString();
}
