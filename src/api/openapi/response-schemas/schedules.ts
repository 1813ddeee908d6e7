import { scheduleSpecSchema } from "../../../schema/schedule.ts";
import { scheduleStatusSchema } from "../../../schema/status.ts";
import { responseAttributes } from "../attributes.ts";
import { maybeTimestamp, members, type ResourceSchema, timestamp, uuid } from "./parts.ts";

const { lastRunTime, nextRunTime } = scheduleStatusSchema.properties;

export const schedule: ResourceSchema = {
  description: "A report's definition that runs by day, week, month or deploy hook.",
  id: uuid,
  attributes: members({
    ...responseAttributes(scheduleSpecSchema.properties),
    deploy_hook_url: {
      type: ["string", "null"],
      description: "POST to it starts a report. Shown to tokens that may write, where the service has a secret key.",
    },
    next_run_at: maybeTimestamp(nextRunTime.description),
    last_run_at: maybeTimestamp(lastRunTime.description),
    inserted_at: timestamp("When the schedule was created."),
    updated_at: timestamp("When it last changed."),
  }),
  relationships: { always: ["reports", "device"] },
};
