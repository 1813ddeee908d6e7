import type { Seed } from "./seed.ts";

/** Statuses of refused requests; 409 is for a `data.type` that does not belong to the URL. */
const refusals = [400, 401, 403, 404, 406, 409, 415, 422];

/**
 * Statuses that a valid request may get besides 2xx: it may name what does not exist, come
 * without a token, or exceed the rate limit.
 */
const acceptances = ["2xx", 304, 401, 402, 403, 404, 409];

/**
 * Operations whose valid requests may break a rule that no schema can express: a URL that no
 * parser reads, a time that is over, a selector that depends on positions, an unknown device,
 * settings that disagree; guest_token without created_by, filter[tags][mode] without a list,
 * filter[muted] without a common issue, a cursor in page[after] that no list has given.
 */
const withRules: Readonly<Record<string, number>> = {
  createReport: 422,
  createSchedule: 422,
  updateSchedule: 422,
  createMuting: 422,
  updateMuting: 422,
  previewMuting: 422,
  createBasicAuth: 422,
  updateBasicAuth: 422,
  listReports: 400,
  listWebPages: 400,
  listSchedules: 400,
  listCommonHtmlIssues: 400,
  listCommonA11yIssues: 400,
  listHtmlIssues: 400,
  listA11yIssues: 400,
  listFindings: 400,
};

/** schemathesis.toml: all checks, on the seeded resources. */
export function configuration({ token, seed, examples }: { token: string; seed: Seed; examples: number }): string {
  const lines = [
    // Two threads that parse at once can break Python 3.11 ("AST constructor recursion depth mismatch").
    "workers = 1",
    "continue-on-failure = true",
    "request-timeout = 30",
    "suppress-health-check = ['all']",
    "[auth.openapi]",
    `bearer = { bearer = ${text(token)} }`,
    "[generation]",
    `max-examples = ${examples}`,
    "allow-x00 = false",
    "deterministic = true",
    "no-shrink = true",
    // A scenario has many requests, and the earlier phases have made those of one kind already.
    "[phases.stateful.generation]",
    "max-examples = 20",
    "[checks.negative_data_rejection]",
    `expected-statuses = ${list(refusals)}`,
    "[checks.positive_data_acceptance]",
    `expected-statuses = ${list(acceptances)}`,
    ...operation({ "include-method": "GET" }, seed.reading),
    ...operation(
      {
        "include-operation-id": [
          "updateReport",
          "updateSchedule",
          "updateGuestAccount",
          "updateBasicAuth",
          "updateMuting",
          "renewDeployHook",
          "runDeployHook",
          "acceptInvitation",
        ],
      },
      seed.reading,
    ),
    ...operation({ "include-operation-id": ["updateWebPage"] }, seed.rechecking),
    ...Object.entries(withRules).flatMap(([id, status]) => [
      "[[operations]]",
      `include-operation-id = ${text(id)}`,
      `checks.positive_data_acceptance.expected-statuses = ${list([...acceptances, status])}`,
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function operation(filter: Record<string, unknown>, parameters: Record<string, string>): string[] {
  const filters = Object.entries(filter).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const values = Object.entries(parameters).map(([name, value]) => `${text(`path.${name}`)} = ${text(value)}`);
  return ["[[operations]]", ...filters, `parameters = { ${values.join(", ")} }`];
}

function list(values: readonly (string | number)[]): string {
  return JSON.stringify(values.map(String));
}

function text(value: string): string {
  return JSON.stringify(value);
}
