import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { webhookBodies } from "../../../src/api/openapi/webhooks.ts";
import { monthReport } from "../../../src/domain/months/month-report.ts";
import { monthTold } from "../../../src/domain/months/told.ts";
import {
  type EndedRun,
  type Event,
  eventsOf,
  type MessageType,
  messageNames,
} from "../../../src/domain/notifications/events.ts";
import { webhookBody } from "../../../src/domain/notifications/messages.ts";
import { document } from "../../support/openapi.ts";

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { date: /^[0-9-]{10}$/, "date-time": /Z$/, uuid: /^[0-9a-f-]{36}$/, uri: /^https?:/ },
});
const id = "5be18c4e-0000-4000-8000-000000000000";
const site = { name: null, url: "https://shop.example/", owner: null };
const nothing = { errors: 0, warnings: 0 };
const changed = {
  ...{ new: { errors: 5, warnings: 0 }, fixed: { errors: 1, warnings: 0 }, gone: nothing },
  persisting: nothing,
  unknown: nothing,
};
const whole = {
  ...{ site, reportId: id, failure: null, counts: { errors: 7, pages: { checked: 3, failed: 1 } }, compared: changed },
  causes: [
    {
      ...{ cause_id: "c".repeat(20), title: "A form field has no label", new: 5, pages: 2, impact: "critical" },
      ...{ assignee: "Agency South", of: "section", path: "/docs/", due_on: "2026-12-10" },
    },
  ],
  gate: { passed: false, results: [{ condition: "max_errors", limit: 2, counted: 7, passed: false, reason: null }] },
} as unknown as EndedRun;
const failed: EndedRun = {
  site,
  reportId: id,
  failure: { code: "unreachable", detail: "Gone." },
  counts: null,
  compared: null,
  causes: [],
  gate: null,
};
const events: Event[] = [
  ...[...eventsOf(whole), ...eventsOf(failed)],
  { type: "schedule.missed", data: { site, schedule_id: id, due_at: "2026-11-26T06:30:00.000Z" } },
  { type: "credits.low", data: { month: "2026-11", used: 80, limit: 100 } },
  {
    type: "month.ended",
    data: monthTold("2026-11", monthReport("2026-11", { sites: [], rules: [], criteria: [] }), {
      numSites: 0,
      criteria: new Set(),
    }),
  },
];

describe("Webhooks in the OpenAPI document", () => {
  it("are those that are sent, and no others", () => {
    expect(Object.keys((document as { webhooks?: object }).webhooks ?? {})).to.have.members([...messageNames]);
  });

  it("describe each message as it is sent, with and without an address of the service", () => {
    const messages: [MessageType, readonly Event[]][] = [
      ...events.map((event): [MessageType, readonly Event[]] => [event.type, [event]]),
      ...[["digest", events] as [MessageType, readonly Event[]], ["test", []] as [MessageType, readonly Event[]]],
    ];
    expect(new Set(messages.map(([type]) => type))).to.deep.equal(new Set(messageNames));
    for (const [type, of] of messages)
      for (const baseUrl of [undefined, "https://checks.example"]) {
        const body = webhookBody({ type, occurredAt: new Date("2026-11-26T06:32:14Z"), events: of }, { baseUrl });
        const validate = ajv.compile(webhookBodies[type]);
        expect(validate(JSON.parse(JSON.stringify(body))), `${type}: ${ajv.errorsText(validate.errors)}`).to.equal(
          true,
        );
      }
  });
});
