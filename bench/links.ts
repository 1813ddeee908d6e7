import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { corpus } from "./corpora.ts";
import { bundledEntry } from "./entry.ts";
import { installPeers } from "./peers/install.ts";
import { startStaticServer } from "./static-server.ts";

/**
 * What link checks and linkinator find broken in the same manuals, and each difference. Links to other sites are left
 * out in both.
 *
 *   node bench/links.ts [FOLDER…]    by default PostgreSQL's manual
 */

const run = promisify(execFile);
const limits = { maxBuffer: 1_000_000_000 };

type Finding = { rule: string; message: string; tags: string[] };

/** @returns addresses that are broken, by `check`, which exits with 1 where it finds any */
async function ours(url: string): Promise<Set<string>> {
  const options = [
    "--links",
    "--no-html",
    "--max-pages",
    "0",
    "--include-links",
    `${new URL(url).origin}/**`,
    "--json",
  ];
  const { stdout } = await run("node", [await bundledEntry(), "check", url, ...options], limits).catch((error) => {
    if (error.code === 1) return error as { stdout: string };
    throw error;
  });
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const broken = findings.filter(({ rule }) => rule.startsWith("broken-"));
  return new Set(
    broken.map(({ message }) => /https?:\/\/\S+?(?=,? (?:is|leads|which)\b)/.exec(message)?.[0] ?? message),
  );
}

async function theirs(url: string): Promise<Set<string>> {
  const { stdout } = await run("node", [path.join(import.meta.dirname, "peers/linkinator.js"), url], limits);
  return new Set(JSON.parse(stdout) as string[]);
}

async function timed<Result>(work: Promise<Result>): Promise<[Result, string]> {
  const started = performance.now();
  return [await work, `${((performance.now() - started) / 1_000).toFixed(1)} s`];
}

await installPeers();
const folders = process.argv.length > 2 ? process.argv.slice(2) : [await corpus()];
for (const folder of folders) {
  if (folder === undefined) continue;
  const site = await startStaticServer(folder);
  try {
    const [mine, myTime] = await timed(ours(site.url));
    const [other, otherTime] = await timed(theirs(site.url));
    console.log(
      `${folder}: site-validator ${mine.size} broken, ${myTime}; linkinator ${other.size} broken, ${otherTime}`,
    );
    const cut = (url: string): string => url.replace(site.url, "/");
    for (const url of mine) if (!other.has(url)) console.log(`  site-validator alone: ${cut(url)}`);
    for (const url of other) if (!mine.has(url)) console.log(`  linkinator alone: ${cut(url)}`);
  } finally {
    await site.close();
  }
}
