import type { FromSchema } from "json-schema-to-ts";
import type { List, One } from "../../api/documents.ts";
import { checkKinds } from "../../checks/kinds.ts";
import { FIX_FIRST } from "../../domain/causes/causes.ts";
import { number, plural } from "../../domain/plural.ts";
import { answer, type Entry, fitting, text } from "../answer.ts";
import { reportId, type Tool, type ToolDeps } from "../tool.ts";
import { causeEntry } from "./list-causes.ts";

const POLL_MS = 1_000;
const ended = ["Complete", "Failed"];

const input = {
  type: "object",
  additionalProperties: false,
  required: ["report_id"],
  properties: {
    report_id: reportId,
    wait_seconds: { type: "integer", minimum: 0, maximum: 30, default: 20, description: "How long to wait." },
  },
} as const;

export const getReport: Tool = {
  name: "get_report",
  title: "Read a report",
  description:
    "How far a report is or, when it has ended, its counts and what to fix first: the changes that remove most errors. Waits up to wait_seconds for its end.",
  input,
  writes: false,
  asksSites: false,
  async run({ report_id, wait_seconds }: FromSchema<typeof input>, deps, signal) {
    const { attributes: report } = await awaited(report_id, wait_seconds, deps, signal);
    const { phase, num_pages, checks, failure, coverage } = report;
    const counts = checkKinds.flatMap((kind) => {
      const check = checks[kind];
      if (!check) return [];
      const { errors, warnings } = check.issues;
      const { pending, checked, failed } = check.status;
      return `${kind}: ${plural(errors, "error")}, ${plural(warnings, "warning")} on ${plural(checked, "checked page")}${failed > 0 ? `, ${number(failed)} could not be checked` : ""}${pending > 0 ? `, ${number(pending)} to do` : ""}.`;
    });
    const head = [`Report ${report_id}: ${phase}, ${plural(num_pages, "page")} found.`, ...counts];
    const left: Entry[] = (coverage?.notices ?? [])
      .filter(({ severity }) => severity === "gap")
      .map(({ code, message, examples }) => ({ gap: code, message: text(message), detail: text(examples[0]?.detail) }));
    const failed: Entry[] = failure ? [{ failure: failure.code, detail: text(failure.detail) }] : [];
    if (!ended.includes(phase))
      return answer([...head, "It has not ended: call get_report again."], fitting([...failed, ...left]));
    const size = { "page[size]": String(FIX_FIRST) };
    const { data, meta } = await deps.api.get<List<"cause">>(`/reports/${report_id}/causes`, size);
    const { first } = meta;
    const entries = fitting([...failed, ...data.map(causeEntry), ...left]);
    const after = [
      ...(data.length > 0
        ? [
            `Fix first: these ${plural(first.causes, "change")} remove ${number(first.how_many)} of ${plural(meta.how_many + meta.left_out.how_many, "error")}, ${number(first.verified)} of them verified.`,
            "list_causes has all of them, list_findings the findings of one cause, page or rule, get_rule how to fix them.",
          ]
        : []),
      ...(left.length > 0 ? ["A gap is something of the site that was left out."] : []),
    ];
    return answer(head, entries, after);
  },
};

/** The report when it has ended, or as it is when the time is over. */
async function awaited(id: string, seconds: number, { api, sleep }: ToolDeps, signal: AbortSignal) {
  for (let waited = 0; ; waited += POLL_MS) {
    const { data } = await api.get<One<"report">>(`/reports/${id}`);
    if (ended.includes(data.attributes.phase) || waited >= seconds * 1_000) return data;
    await sleep(POLL_MS, signal);
  }
}
