import type { Kysely } from "kysely";
import { deleteOldInvitationMails } from "../database/accounts/invitation-mails.ts";
import { insertEntry } from "../database/audit/entries.ts";
import {
  collectDue,
  type DueDelivery,
  deleteOldDeliveries,
  listDue,
  listGivenUp,
  nextDue,
  recordAttempt,
} from "../database/receivers/deliveries.ts";
import { destinationOf, disableReceiver } from "../database/receivers/receivers.ts";
import type { Database } from "../database/tables.ts";
import type { Encryptor } from "../domain/accounts/encryption.ts";
import { nameIn, OURSELVES, ownEntry } from "../domain/audit/entry.ts";
import type { Message } from "../domain/notifications/messages.ts";
import {
  DISABLED_AFTER_MS,
  LOGGED_MS,
  type Outcome,
  type SentRequest,
  TOLD_MS,
} from "../domain/notifications/receivers.ts";
import { unsubscribeUrl } from "../domain/notifications/unsubscribe.ts";
import type { AddressPolicy } from "../net/addresses.ts";
import { createGuardedAgent, type GuardedAgent } from "../net/guarded-agent.ts";
import type { Logger } from "../telemetry/log.ts";
import { createNotifier } from "../time/notifier.ts";
import { tellLowCredits, tellMonths } from "../transactions/tell.ts";
import { sendInvitations } from "./send-invitations.ts";
import { type MailSettings, sendMail } from "./send-mail.ts";
import { sendTokenEnds } from "./send-token-ends.ts";
import { sendWebhook } from "./send-webhook.ts";

/** What the operator has said about messages to others. */
export type DeliverySettings = {
  /** Where webhooks may be: public addresses, and networks that the operator has allowed for them. */
  policy: AddressPolicy;
  /** The service's address, for links; messages have none without it. */
  baseUrl?: string | undefined;
  /** Without it no mail is sent. */
  mail?: MailSettings | undefined;
};

/** Receivers that are sent to at the same time: one that hangs holds up none of the others. */
const MAX_AT_ONCE = 8;
/** How often to look without a notification. */
const POLL_MS = 30_000;
/** How often what is no event is looked for: pages that run out, months that have ended, receivers to disable, what is kept no longer. */
const HOUSEKEEPING_MS = 600_000;

export type DeliveryWorker = {
  /** Call this when a message can be sent. */
  notify(): void;
  /** Sends messages until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
};

type Deps = {
  db: Kysely<Database>;
  log: Logger;
  now: () => Date;
  encryptor?: Encryptor | undefined;
  delivery?: DeliverySettings | undefined;
};

/**
 * Sends what is in the outbox: in order for each receiver, at least once. It runs with the controller's leader, whose
 * connections no other can have; a message that was sent and not recorded is sent again with the same id.
 */
export function createDeliveryWorker({ db, log, now, encryptor, delivery }: Deps): DeliveryWorker {
  const { notify, wait } = createNotifier();
  const busy = new Map<string, Promise<void>>();

  async function attempt(agent: GuardedAgent, due: DueDelivery, signal: AbortSignal): Promise<void> {
    const beganAt = now();
    const clock = performance.now();
    const outcome = await send(agent, due, signal);
    const tookMs = Math.round(performance.now() - clock);
    await recordAttempt(db, due.delivery, { ...outcome, beganAt, tookMs }, now());
    if (!outcome.delivered)
      log.info("a message was not delivered", { receiver: due.receiver.id, status: outcome.status ?? undefined });
  }

  async function send(
    agent: GuardedAgent,
    { delivery: { id, type, events, occurred_at, accepted }, receiver }: DueDelivery,
    signal: AbortSignal,
  ): Promise<Outcome & { sent: SentRequest; accepted: readonly string[] }> {
    const message: Message = { type, occurredAt: occurred_at, events };
    const links = { baseUrl: delivery?.baseUrl };
    const not = (answer: string) => ({ status: null, answer, delivered: false, sent: noRequest, accepted });
    if (receiver.kind === "mail") {
      if (!delivery?.mail) return not("The service sends no mail: its operator must set SMTP_URL and MAIL_FROM.");
      const has = new Set([...accepted, ...receiver.unsubscribed]);
      const outgoing = {
        id,
        message,
        to: receiver.mail_addresses.filter((address) => !has.has(address)),
        reason: `You get this because ${receiver.name} hears of it.`,
        unsubscribeUrl: (address: string) => unsubscribeUrl(links.baseUrl, encryptor, receiver.id, address),
      };
      const outcome = await sendMail(delivery.mail, outgoing, links);
      return { ...outcome, accepted: [...accepted, ...outcome.accepted] };
    }
    const destination = encryptor && destinationOf(receiver, encryptor, now());
    if (!destination || destination.url === null)
      return not("The address cannot be read: it was stored with another SECRET_KEY. Give it again.");
    const to = { id: `msg_${id}`, kind: receiver.kind, destination: { ...destination, url: destination.url }, message };
    return { ...(await sendWebhook(agent, to, { links, now: now(), signal })), accepted };
  }

  /** Begins to send what is due, as far as there is room. @returns whether something was begun */
  async function begin(agent: GuardedAgent, signal: AbortSignal): Promise<void> {
    await collectDue(db, now());
    const due = await listDue(db, [...busy.keys()], now());
    for (const one of due.slice(0, MAX_AT_ONCE - busy.size)) {
      const { id } = one.receiver;
      const done = attempt(agent, one, signal)
        .catch((error) => {
          if (!signal.aborted) log.warn("a message could not be handled", { receiver: id, error });
        })
        .finally(() => {
          busy.delete(id);
          notify();
        });
      busy.set(id, done);
    }
  }

  let mailing: Promise<void> | undefined;

  /** Begins to send the service's own mails that are due: a mail server that hangs holds up nobody else's messages. */
  function mailPeople(signal: AbortSignal): void {
    const { mail, baseUrl } = delivery ?? {};
    if (mailing || !mail || baseUrl === undefined) return;
    const send = async () => {
      for (const [what, sendDue] of Object.entries(mailsToPeople))
        await sendDue(db, { mail, baseUrl }, { now, signal }).catch((error) => {
          if (!signal.aborted) log.warn("mails to people could not be sent", { what, error });
        });
    };
    mailing = send().finally(() => {
      mailing = undefined;
    });
  }

  let cleanedAt = Number.NEGATIVE_INFINITY;

  async function disableGivenUp(at: Date): Promise<void> {
    for (const { id } of await listGivenUp(db, new Date(at.getTime() - DISABLED_AFTER_MS))) {
      await db.transaction().execute(async (trx) => {
        const disabled = await disableReceiver(trx, id, at);
        if (disabled) await insertEntry(trx, disabledEntry({ id, ...disabled }, at));
      });
      log.warn("a receiver was disabled: nothing got through for a week", { receiver: id });
    }
  }

  /** Each by itself: one that fails holds up none of the others. */
  const houseWork: readonly ((at: Date) => Promise<unknown>)[] = [
    disableGivenUp,
    (at) => deleteOldInvitationMails(db, at),
    (at) => tellLowCredits(db, at),
    (at) => tellMonths(db, at),
    (at) => {
      const since = (ms: number) => new Date(at.getTime() - ms);
      return deleteOldDeliveries(db, {
        loggedSince: since(LOGGED_MS),
        missedSince: since(DISABLED_AFTER_MS),
        toldSince: since(TOLD_MS),
      });
    },
  ];

  async function keepHouse(signal: AbortSignal): Promise<void> {
    const at = performance.now();
    if (at - cleanedAt < HOUSEKEEPING_MS) return;
    cleanedAt = at;
    for (const work of houseWork)
      await work(now()).catch((error) => {
        if (!signal.aborted) log.warn("receivers could not be looked after", { error });
      });
  }

  return {
    notify,
    async run(signal) {
      if (!delivery) return untilAborted(signal);
      const agent = createGuardedAgent(delivery.policy);
      try {
        while (!signal.aborted) {
          let pause = POLL_MS;
          await keepHouse(signal);
          mailPeople(signal);
          try {
            await begin(agent, signal);
            const next = await nextDue(db);
            if (next && busy.size === 0) pause = Math.min(pause, Math.max(50, next.getTime() - now().getTime()));
          } catch (error) {
            if (!signal.aborted) log.warn("messages could not be listed", { error });
          }
          await wait(pause, signal);
        }
        await Promise.all([...busy.values(), mailing]);
      } finally {
        await agent.destroy(new Error("The service stops."));
      }
    },
  };
}

/** What the service sends by mail besides messages to receivers: one that fails holds up none of the others. */
const mailsToPeople = { invitations: sendInvitations, "ends of tokens": sendTokenEnds };

const noRequest: SentRequest = { headers: {}, body: "" };

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** What the audit log says of a receiver to which nothing gets through. */
function disabledEntry(
  { id, name, account_id: accountId }: { id: string; name: string; account_id: string },
  at: Date,
) {
  const target = { type: "receiver", id, name: nameIn(name), path: `/receivers/${id}`, siteUrl: null };
  const did = { operation: "disableReceiver", verb: "disabled a receiver", area: "receivers" } as const;
  return ownEntry({ by: OURSELVES, ...did }, { accountId, at, target });
}
