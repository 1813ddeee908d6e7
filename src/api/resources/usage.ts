import { accountUsage, guestUsages, storedBytes, type Usage, usageByMonth } from "../../database/accounts/accounts.ts";
import { monthOf } from "../../domain/accounts/credits.ts";
import type { Context, Route } from "../context.ts";
import { unauthenticated } from "../http/request/authenticate.ts";
import { callerOf } from "../http/request/caller.ts";
import { one, related } from "../http/response/documents.ts";

/** How many months are shown. */
const MONTHS = 12;

/** This month's credit usage: the account's and each guest's for a host, only its own for a guest. */
export const usage: readonly Route[] = [
  {
    method: "GET",
    path: "/usage",
    id: "getUsage",
    tag: "Usage",
    summary: "Get this month's usage",
    description: "The usage of the account and of each guest; a guest gets only its own.",
    success: { kind: "one", type: "usage" },
    access: "account",
    handle: async (context) => {
      const { db, now } = context.deps;
      const caller = callerOf(context);
      const month = monthOf(now());
      const guests = await guestUsages(db, caller, month);
      const own = caller.guestToken === null ? await accountUsage(db, caller.accountId, month) : guests[0];
      if (!own) throw unauthenticated();
      return one({
        id: month.slice(0, 7),
        type: "usage",
        attributes: {
          month: month.slice(0, 7),
          ...numbers(own),
          months: await usageByMonth(db, caller, month, MONTHS),
          ...(caller.guestToken === null && { storage: await storageOf(context, caller.accountId) }),
          ...(caller.guestToken === null && {
            guests: guests.map((guest) => ({ guest_token: guest.guestToken, ...numbers(guest) })),
          }),
        },
        relationships: related({ guest_accounts: `${context.base}/guest_accounts` }),
      });
    },
  },
];

async function storageOf({ deps }: Context, accountId: string) {
  return { bytes: await storedBytes(deps.db, accountId), limit: deps.maxAccountBytes || null };
}

function numbers({ limit, charged, reserved }: Usage) {
  return { limit, charged, reserved, left: limit === null ? null : Math.max(0, limit - charged - reserved) };
}
