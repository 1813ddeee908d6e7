import { periodicitySchema, scheduleSpecSchema } from "../../../schema/schedule.ts";
import { maybeTimestamp, members, orNull, type ResourceSchema, timestamp, uuid } from "./parts.ts";
import { shownTarget } from "./reports.ts";

export const schedule: ResourceSchema = {
  description: "A report's definition that runs by day, week, month or deploy hook.",
  id: uuid,
  attributes: members({
    ...shownTarget,
    shared: { type: "boolean", description: "Whether its reports are readable without credentials." },
    periodicity: orNull({
      ...periodicitySchema,
      description: "When the schedule runs; null for one that only its deploy hook starts.",
    }),
    active: scheduleSpecSchema.properties.active,
    history_limit: { type: "integer", minimum: 0, description: scheduleSpecSchema.properties.historyLimit.description },
    deploy_hook_url: {
      type: ["string", "null"],
      description: "POST to it starts a report. Shown to tokens that may write, where the service has a secret key.",
    },
    next_run_at: maybeTimestamp("When the next report is due."),
    last_run_at: maybeTimestamp("When the last report was started."),
    inserted_at: timestamp("When the schedule was created."),
    updated_at: timestamp("When it last changed."),
  }),
  relationships: { always: ["reports", "device"] },
};
