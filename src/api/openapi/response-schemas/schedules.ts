import { scheduleSpecSchema } from "../../../schema/schedule.ts";
import { scheduleStatusSchema } from "../../../schema/status.ts";
import { responseAttributes } from "../attributes.ts";
import { maybeTimestamp, members, type ResourceSchema, timestamp, uuid } from "./parts.ts";

const { lastRunTime, nextRunTime } = scheduleStatusSchema.properties;

export const schedule = {
  description: "A report's definition that runs daily, weekly, monthly or on a deploy hook.",
  id: uuid,
  attributes: members({
    ...responseAttributes(scheduleSpecSchema.properties),
    deploy_hook_url: {
      type: ["string", "null"],
      description:
        "A POST to it starts a report. Only callers with write access see it, and only if the service has a secret key. Only its path if the service does not know its address: then its operator has to set BASE_URL.",
    },
    badge_url: {
      type: ["string", "null"],
      description:
        "A picture of the last result, for a README. Its address is the credential: who has it sees the number of errors, and nothing else. null if the service has no secret key.",
    },
    next_run_at: maybeTimestamp(nextRunTime.description),
    last_run_at: maybeTimestamp(lastRunTime.description),
    inserted_at: timestamp("When the schedule was created."),
    updated_at: timestamp("When it last changed."),
  }),
  relationships: { always: ["reports", "device"] },
} as const satisfies ResourceSchema;
