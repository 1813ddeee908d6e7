import type { Secret } from "../../cluster/core-resources.ts";
import { isClusterError } from "../../cluster/port.ts";
import { type DeclaredReceiver, listDeclared } from "../../database/receivers/declared.ts";
import type { ScheduleRow } from "../../database/schedules/schedules.ts";
import { receiverFault, timeZoneFault } from "../../delivery/receiver-fault.ts";
import type { DeliverySettings } from "../../delivery/worker.ts";
import { type DeclaredNotification, RECEIVER_SECRET_TYPE } from "../../schema/notifications.ts";
import type { ScheduleResource } from "../../schema/resources.ts";
import { endDeclaredReceivers, followDeclaredReceivers } from "../../transactions/declared-receivers.ts";
import type { ConditionUpdate } from "../conditions.ts";
import type { ControllerDeps } from "../deps.ts";
import { NOTIFIES } from "./plan.ts";

type Deps = Pick<ControllerDeps, "db" | "core" | "encryptor" | "delivery" | "now">;

/** A Secret is read again after this time: nothing tells the controller that it was made or changed. */
const RECHECK_MS = 60_000;

/**
 * Stores the receivers that a Schedule declares, with the addresses in their Secrets. Those that it declares no more are
 * deleted; one whose Secret cannot be read stays as it was.
 *
 * @returns the condition that says who hears of its runs, and when to look again; undefined when it declares nobody
 */
export async function declareReceivers(
  deps: Deps,
  { id, resource, row }: { id: string; resource: ScheduleResource; row: ScheduleRow },
): Promise<{ condition: ConditionUpdate; againMs: number } | undefined> {
  const declared = resource.spec.notifications ?? [];
  // What is stored decides, and not the condition: that is written later, and may be lost.
  if (declared.length === 0 && (await listDeclared(deps.db, id)).length === 0) return undefined;
  const { db, encryptor, delivery } = deps;
  const { namespace, name } = resource.metadata;
  const declaring = { accountId: row.account_id, scheduleId: id, by: `${namespace}/${name}` };
  if (declared.length === 0 || row.guest_token !== null) {
    await endDeclaredReceivers(db, declaring, deps.now());
    return declared.length === 0 ? undefined : notNow("GuestSchedule", GUEST_FAULT);
  }
  if (!delivery) return notNow("NotificationsOff", OFF_FAULT);
  if (!encryptor) return notNow("NoSecretKey", KEY_FAULT);
  const read: Read[] = [];
  for (const one of declared) read.push(await readReceiver(deps.core, delivery, namespace, one));
  const names = new Set(declared.map((one) => one.name));
  const readable = read.flatMap((one) => ("receiver" in one ? [one.receiver] : []));
  const kept = await followDeclaredReceivers(db, encryptor, declaring, { names, readable }, deps.now());
  const faults = read.flatMap((one) => ("fault" in one ? [one.fault] : []));
  const off = kept.filter(({ disabled_at: since }) => since !== null);
  if (faults.length === 0 && off.length > 0) return notNow("SwitchedOff", offFault(off));
  if (faults.length > 0) return notNow("InvalidReceiver", faults.join(" "));
  const message = `Messages are sent to ${declared.map((one) => JSON.stringify(one.name)).join(", ")}.`;
  return { condition: { type: NOTIFIES, status: "True", reason: "Declared", message }, againMs: RECHECK_MS };
}

const GUEST_FAULT = "Schedules of guests notify nobody: remove spec.notifications.";
const OFF_FAULT =
  "The service sends nothing to others: its operator must allow it (notifications.enabled of the chart).";
const KEY_FAULT = "The service cannot store secrets: its operator must set SECRET_KEY.";

/** By somebody, or because nothing got through for a week. */
function offFault(receivers: readonly { name: string }[]): string {
  const names = receivers.map(({ name }) => JSON.stringify(name)).join(", ");
  return `Nothing is sent to ${names}: switched off. Switch it on in the list of receivers, or with PATCH /receivers/{id} and enabled: true.`;
}

function notNow(reason: string, message: string) {
  return { condition: { type: NOTIFIES, status: "False", reason, message } as const, againMs: RECHECK_MS };
}

type Read = { receiver: DeclaredReceiver } | { fault: string };

async function readReceiver(
  core: ControllerDeps["core"],
  { policy, mail }: DeliverySettings,
  namespace: string,
  { kind, name, secret: secretName, mailAddresses = [], events, digest, timeZone }: DeclaredNotification,
): Promise<Read> {
  const found = secretName === undefined ? NO_SECRET : await readSecret(core, namespace, secretName, kind);
  if ("fault" in found) return found;
  const fault =
    receiverFault(kind, { url: found.url, mail_addresses: mailAddresses }, { policy, mail: mail !== undefined }) ??
    timeZoneFault(timeZone);
  if (fault) return { fault: `The receiver ${JSON.stringify(name)} cannot be sent to: ${fault.message}` };
  return {
    receiver: {
      ...{ kind, name, ...found, mail_addresses: [...mailAddresses], events: [...new Set(events)] },
      ...{ digest, time_zone: timeZone },
    },
  };
}

type Address = { url: string | null; secret: string | null };
const NO_SECRET: Address = { url: null, secret: null };

/** Reads a Secret from the Schedule's own namespace only: otherwise a tenant could name another tenant's. */
async function readSecret(
  core: ControllerDeps["core"],
  namespace: string,
  name: string,
  kind: DeclaredNotification["kind"],
): Promise<Address | { fault: string }> {
  const which = `Secret ${namespace}/${name}`;
  let secret: Secret | undefined;
  try {
    secret = await core.readSecret(namespace, name);
  } catch (error) {
    if (!isClusterError(error, "Forbidden")) throw error;
    return { fault: `${which} cannot be read by the controller: see notifications.secrets in the chart's values.` };
  }
  if (!secret) return { fault: `${which} does not exist.` };
  // Otherwise somebody who may create Schedules but not read Secrets could have any Secret looked at.
  if (secret.type !== RECEIVER_SECRET_TYPE)
    return { fault: `${which} is of type ${secret.type}; it must be ${RECEIVER_SECRET_TYPE}.` };
  const url = secret.data.url?.trim() ?? "";
  if (url === "") return { fault: `${which} has no key url with the address to which messages go.` };
  if (kind !== "webhook") return { url, secret: null };
  const signing = secret.data["signing-secret"]?.trim() ?? "";
  if (isSigningSecret(signing)) return { url, secret: signing };
  return {
    fault: `${which} needs a key signing-secret for a webhook: "whsec_" and 24 to 64 random bytes as base64, such as that of: echo "whsec_$(openssl rand -base64 24)".`,
  };
}

/** A symmetric secret of Standard Webhooks. */
function isSigningSecret(text: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  if (encoded === undefined) return false;
  const { length } = Buffer.from(encoded, "base64");
  return length >= 24 && length <= 64;
}
