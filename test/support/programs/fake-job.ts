import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { takeEnvironment } from "../../../src/main/lifecycle/environment.ts";

/**
 * Stands in for crawler and checker in the controller's tests: writes to the database
 * what they would write, and misbehaves as the query of the report's starting URL says.
 *
 *     ?pages=3            pages that the crawler finds
 *     ?crawl=unreachable  the starting page cannot be fetched
 *     ?crawl=crash        the crawler ends with code 1 after its pages, before the crawl is over
 *     ?check=die-run-1    the checkers of the first run end with code 1, holding a check
 *     ?check=leave        the checkers end with code 0 and leave the checks alone
 *     ?check=usage        the checkers end with code 2
 *     ?check=hang         the checkers do nothing until they get a stop signal
 *
 * With GATE in its environment the crawl goes on until that file exists.
 */
takeEnvironment();
const argument = (name: string) => process.argv[process.argv.indexOf(`--${name}`) + 1] ?? "";
const program = process.argv[2] ?? "";
const report = argument("report");
const run = argument("run");
const kind = program === "checker" ? argument("engine") : "";
if (process.env.LOG)
  appendFileSync(process.env.LOG, `${[program, kind, run, process.pid].join(" ").replace("  ", " ")}\n`);

process.stdin.resume();
process.stdin.once("end", () => process.exit(1));

const db = new pg.Client({ connectionString: process.env.DATABASE_URL });
db.on("error", () => process.exit(1));
await db.connect();
const found = await db.query("select spec, num_pages from reports where id = $1", [report]);
const { spec, num_pages: before } = found.rows[0];
const wish = new URL(spec.startingUrl).searchParams;
process.exit(program === "crawler" ? await crawl() : await check());

async function notify(): Promise<void> {
  await db.query("select pg_notify('site_validator', $1)", [report]);
}

async function crawl(): Promise<number> {
  if (wish.get("crawl") === "unreachable") {
    const change = "crawl_state = 'failed', failure_code = 'unreachable', failure_detail = 'Connection refused.'";
    await db.query(`update reports set ${change} where id = $1`, [report]);
    await notify();
    return 0;
  }
  await db.query("update reports set crawl_state = 'crawling' where id = $1", [report]);
  for (let page = before; page < Number(wish.get("pages") ?? 1); page++) await addPage(page);
  await notify();
  if (wish.get("crawl") === "crash") return 1;
  while (process.env.GATE && !existsSync(process.env.GATE)) await sleep(10);
  await db.query("update reports set crawl_state = 'ended' where id = $1", [report]);
  await notify();
  return 0;
}

async function addPage(page: number): Promise<void> {
  const kinds = [spec.performHtmlChecks && "html", spec.performA11yChecks && "a11y"].filter(Boolean);
  await db.query("begin");
  const inserted = await db.query("insert into web_pages (report_id, url) values ($1, $2) returning id", [
    report,
    `https://example.com/${page}`,
  ]);
  for (const each of kinds) {
    const values = [report, inserted.rows[0].id, each];
    await db.query("insert into checks (report_id, web_page_id, kind) values ($1, $2, $3)", values);
  }
  // The report before its counters, like all who change them.
  await db.query("update reports set num_pages = num_pages + 1 where id = $1", [report]);
  await db.query("update check_counts set pending = pending + 1 where report_id = $1 and kind = any($2)", [
    report,
    kinds,
  ]);
  await db.query("commit");
}

async function check(): Promise<number> {
  if (wish.get("check") === "usage") return 2;
  if (wish.get("check") === "leave") {
    while (!(await crawlIsOver())) await sleep(10);
    return 0;
  }
  for (;;) {
    if (wish.get("check") === "hang") await sleep(1_000_000);
    const over = await crawlIsOver();
    const id = await lease();
    if (id === undefined) {
      if (over) return 0;
      await sleep(10);
    } else {
      if (wish.get("check") === `die-run-${run}`) return 1;
      await end(id);
    }
  }
}

async function crawlIsOver(): Promise<boolean> {
  const { rows } = await db.query("select crawl_state in ('ended', 'failed') as over from reports where id = $1", [
    report,
  ]);
  return rows[0].over;
}

/** Leases expire at once: the checks of a dead checker are free. */
async function lease(): Promise<string | undefined> {
  const { rows } = await db.query(
    `update checks set status = 'leased' where id = (
       select id from checks where report_id = $1 and kind = $2 and status in ('queued', 'leased')
       order by id limit 1 for update skip locked
     ) returning id`,
    [report, kind],
  );
  return rows[0]?.id;
}

async function end(id: string): Promise<void> {
  await db.query("begin");
  const changed = await db.query(
    "update checks set status = 'checked', errors = 2 where id = $1 and status = 'leased'",
    [id],
  );
  if (changed.rowCount === 1) {
    await db.query("select from reports where id = $1 for no key update", [report]);
    const { rows } = await db.query(
      `update check_counts set pending = pending - 1, checked = checked + 1, errors = errors + 2
        where report_id = $1 and kind = $2 returning pending as left`,
      [report, kind],
    );
    if (rows[0].left === 0) await notify();
  }
  await db.query("commit");
}
