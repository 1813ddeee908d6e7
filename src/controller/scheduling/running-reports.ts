import type { Demand } from "./grant.ts";

/** An account's reports: how many run, and those that wait, oldest first. */
type Account = { running: number; waiting: { id: string; age: number }[] };

/**
 * Chooses which reports run. Those that run go on. Free places go round robin by account: the
 * account with the fewest running reports comes first, of its reports the oldest. So one
 * account's hundred reports do not keep another's only one waiting.
 *
 * @param demands all unfinished reports, oldest first
 * @returns the ids of those that run
 */
export function chooseRunning(demands: readonly Demand[], maxRunningReports: number): Set<string> {
  const running = new Set<string>();
  const accounts = new Map<string, Account>();
  for (const [age, { id, accountId, waiting }] of demands.entries()) {
    const account = accounts.get(accountId) ?? { running: 0, waiting: [] };
    accounts.set(accountId, account);
    if (waiting) account.waiting.push({ id, age });
    else {
      running.add(id);
      account.running++;
    }
  }
  while (running.size < maxRunningReports) {
    const account = nextAccount(accounts.values());
    const report = account?.waiting.shift();
    if (!account || !report) break;
    running.add(report.id);
    account.running++;
  }
  return running;
}

/** Of those that have a waiting report. */
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
