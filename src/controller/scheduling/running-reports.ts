import type { Demand } from "./grant.ts";

/** An account's reports: how many run, and those that wait, oldest first. */
type Account = { running: number; waiting: { id: string; age: number }[] };

/**
 * Chooses which reports run. Running reports continue. Free slots go round robin by account: the
 * account with the fewest running reports comes first, with its oldest report. So the hundred
 * reports of one account do not block the only report of another. Reports that are over take no slot.
 *
 * @param demands all unfinished reports, oldest first
 * @returns the ids of those that run
 */
export function chooseRunning(demands: readonly Demand[], maxRunningReports: number): Set<string> {
  const running = new Set<string>();
  const accounts = new Map<string, Account>();
  let slots = maxRunningReports;
  for (const [age, { id, accountId, waiting, over = false }] of demands.entries()) {
    const account = accounts.get(accountId) ?? { running: 0, waiting: [] };
    accounts.set(accountId, account);
    if (waiting) account.waiting.push({ id, age });
    else {
      running.add(id);
      if (over) continue;
      account.running++;
      slots--;
    }
  }
  for (; slots > 0; slots--) {
    const account = nextAccount(accounts.values());
    const report = account?.waiting.shift();
    if (!account || !report) break;
    running.add(report.id);
    account.running++;
  }
  return running;
}

/** The next account with a waiting report. */
function nextAccount(accounts: Iterable<Account>): Account | undefined {
  let next: Account | undefined;
  for (const account of accounts) {
    if (account.waiting.length > 0 && (!next || comesBefore(account, next))) next = account;
  }
  return next;
}

function comesBefore(a: Account, b: Account): boolean {
  if (a.running !== b.running) return a.running < b.running;
  return (a.waiting[0]?.age ?? 0) < (b.waiting[0]?.age ?? 0);
}
