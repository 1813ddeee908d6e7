import { spawn } from "node:child_process";
import { loadavg } from "node:os";
import path from "node:path";
import { brokenCopy } from "./broken-site.ts";
import { corpus } from "./corpora.ts";
import { bundledEntry } from "./entry.ts";
import { serveMadeSite } from "./made-site.ts";
import { installPeers } from "./peers/install.ts";
import { watchMemory } from "./processes.ts";
import { type Timed, timed } from "./processor-time.ts";
import { record } from "./results.ts";
import { isSmoke, rounds } from "./smoke.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * What `check` takes for the links of a site, alone and beside HTML, compared with linkinator on the same pages in the same
 * run, with faults put in that have to be found, and no others; and its memory at 5,000 made pages. Links to other sites
 * are left out in both.
 *
 *   node bench/links.ts              on PostgreSQL's manual (or MANUAL_DIR; bench/corpora.ts)
 *   node bench/links.ts FOLDER…      what both find broken in these folders, and each difference
 */

const FAULTS = isSmoke ? 5 : 20;
const MADE_PAGES = isSmoke ? 60 : 5_000;
const MAX_MEGABYTES = 400;

type Finding = { kind: string; rule: string; message: string };
type Run = { seconds: number; megabytes: number; stdout: string };

await installPeers();
const entry = await bundledEntry();
const folders = process.argv.slice(2);
if (folders.length > 0) for (const folder of folders) await compare(folder);
else await measure();

async function measure(): Promise<void> {
  const pages = await corpus();
  if (pages === undefined) process.exit(2);
  const broken = await brokenCopy(pages, FAULTS);
  const site = await startStaticServer(broken.folder);
  try {
    const runs = {
      links: [] as Timed<Run>[],
      html: [] as Timed<Run>[],
      both: [] as Timed<Run>[],
      peer: [] as Timed<Run>[],
    };
    for (let round = 0; round < rounds(2); round += 1) {
      runs.links.push(await timed(() => ours(site.url, ["--links", "--no-html"])));
      runs.peer.push(await timed(() => theirs(site.url)));
      runs.html.push(await timed(() => ours(site.url, [])));
      runs.both.push(await timed(() => ours(site.url, ["--links"])));
      console.log(`round ${round + 1}; load of the machine ${loadavg()[0]?.toFixed(1)}`);
    }
    for (const one of [...runs.links, ...runs.both]) requireFaults(one, broken.faults);
    const [first] = runs.peer;
    const missed = broken.faults.filter((fault) => !first?.stdout.includes(fault));
    console.log(`linkinator finds ${broken.faults.length - missed.length} of ${broken.faults.length} faults`);
    const best = (of: readonly Timed<Run>[], what: "seconds" | "processor" | "megabytes") =>
      Math.min(...of.map((one) => one[what]));
    for (const [what, unit] of [
      ["seconds", "s"],
      ["processor", "s of processor time"],
    ] as const) {
      const [links, peer] = [best(runs.links, what), best(runs.peer, what)];
      record({
        ...{
          row: "15",
          measure: `links alone: ${what === "seconds" ? "time" : "processor time"}`,
          against: "linkinator",
        },
        ...{ ratio: links / peer, target: { atMost: 0.8 } },
        figures: { [unit]: links, [`${unit} of linkinator`]: peer },
      });
      const [html, both] = [best(runs.html, what), best(runs.both, what)];
      record({
        row: "15",
        measure: `links beside HTML: ${what === "seconds" ? "time" : "processor time"} more than HTML alone`,
        against: "linkinator",
        ...{ ratio: (both - html) / peer, target: { atMost: 0.8 } },
        figures: { [`${unit} of both`]: both, [`${unit} of HTML`]: html, [`${unit} of linkinator`]: peer },
      });
    }
    const memory = best(runs.links, "megabytes");
    console.log(`${memory.toFixed(0)} MB, ${best(runs.peer, "megabytes").toFixed(0)} MB of linkinator`);
  } finally {
    await site.close();
    await broken.remove();
  }
  await measureMemory();
}

/** All processes together, PostgreSQL included. */
async function measureMemory(): Promise<void> {
  const site = await serveMadeSite(MADE_PAGES);
  try {
    const { megabytes } = await ours(site.url, ["--links", "--no-html"]);
    const peer = await theirs(site.url);
    record({
      ...{ row: "15", measure: `links of ${MADE_PAGES.toLocaleString("en")} pages: memory of all processes` },
      ...{ against: `${MAX_MEGABYTES} MB`, ratio: megabytes / MAX_MEGABYTES, target: { atMost: 1 } },
      figures: { MB: megabytes, "MB of linkinator": peer.megabytes },
    });
  } finally {
    await site.close();
  }
}

function requireFaults({ stdout }: Run, faults: readonly string[]): void {
  const found = linkFindings(stdout);
  const missing = faults.filter((fault) => !found.some(({ message }) => message.includes(fault)));
  const others = found.filter(({ message }) => !faults.some((fault) => message.includes(fault)));
  if (missing.length > 0) throw new Error(`Of ${faults.length} faults these were not found: ${missing.join(", ")}.`);
  if (others.length > 0) throw new Error(`Found, and not put in: ${others.map(({ message }) => message).join(" ")}`);
}

function linkFindings(stdout: string): Finding[] {
  return (JSON.parse(stdout) as { findings: Finding[] }).findings.filter(({ kind }) => kind === "links");
}

/** `check`, which exits with 1 where it finds anything. */
function ours(url: string, kinds: readonly string[]): Promise<Run> {
  const links = ["--include-links", `${new URL(url).origin}/**`];
  const options = [...kinds, ...(kinds.includes("--links") ? links : []), "--max-pages", "0", "--json"];
  return watched([entry, "check", url, ...options]);
}

function theirs(url: string): Promise<Run> {
  return watched([path.join(import.meta.dirname, "peers/linkinator.js"), url]);
}

async function watched(command: readonly string[]): Promise<Run> {
  const started = performance.now();
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "ignore"] });
  const memory = watchMemory(child.pid ?? 0);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0 && code !== 1) throw new Error(`${command.join(" ")} ended with ${code}.`);
  return { seconds: (performance.now() - started) / 1_000, megabytes: memory.stop(), stdout };
}

async function compare(folder: string): Promise<void> {
  const site = await startStaticServer(folder);
  try {
    const { stdout, seconds } = await ours(site.url, ["--links", "--no-html"]);
    const peer = await theirs(site.url);
    const broken = linkFindings(stdout).filter(({ rule }) => rule.startsWith("broken-"));
    const mine = new Set(
      broken.map(({ message }) => /https?:\/\/\S+?(?=,? (?:is|leads|which)\b)/.exec(message)?.[0] ?? message),
    );
    const other = new Set(JSON.parse(peer.stdout) as string[]);
    console.log(
      `${folder}: site-validator ${mine.size} broken, ${seconds.toFixed(1)} s; ` +
        `linkinator ${other.size} broken, ${peer.seconds.toFixed(1)} s`,
    );
    const cut = (url: string): string => url.replace(site.url, "/");
    for (const url of mine) if (!other.has(url)) console.log(`  site-validator alone: ${cut(url)}`);
    for (const url of other) if (!mine.has(url)) console.log(`  linkinator alone: ${cut(url)}`);
  } finally {
    await site.close();
  }
}
