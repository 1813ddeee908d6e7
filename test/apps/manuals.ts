import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Checked, check } from "./check.ts";
import { unpackDebian } from "./install.ts";
import { answers, createProcesses, freePort } from "./processes.ts";

/** Sites that only read, of 200 pages and more each: manuals that nobody here wrote. */
const manuals = [
  { name: "postgresql-doc-15", folder: "usr/share/doc/postgresql-doc-15/html" },
  { name: "python3.11-doc", folder: "usr/share/doc/python3.11/html" },
  { name: "sqlite3-doc", folder: "usr/share/doc/sqlite3" },
  { name: "python-django-doc", folder: "usr/share/doc/python-django-doc/html" },
  { name: "octave-doc", folder: "usr/share/doc/octave/octave.html" },
];

/** What a check of a manual left out by a word. */
export type Read = {
  name: string;
  version: string;
  signedIn: boolean;
  pages: number;
  leftOut: string[];
  seconds: number;
};

/** Checks each manual as a site: signed out; and with a cookie, which makes the crawler as careful as with a session. */
export async function checkManuals(maxPages: number, say: (read: Read) => void): Promise<Read[]> {
  const all: Read[] = [];
  for (const { name, folder } of manuals) {
    const { root, version } = await unpackDebian(name);
    const place = await mkdtemp(path.join(tmpdir(), "sv-apps-"));
    await mkdir(path.join(place, "logs"));
    const processes = createProcesses(path.join(place, "logs"));
    try {
      const port = await freePort();
      processes.serve("server", [
        "python3",
        "-m",
        "http.server",
        String(port),
        "--bind",
        "127.0.0.1",
        "-d",
        path.join(root, folder),
      ]);
      const url = `http://127.0.0.1:${port}`;
      await answers(`${url}/index.html`);
      for (const signedIn of [false, true]) {
        const options = [
          "--max-pages",
          String(maxPages),
          "--links",
          "--no-html",
          ...(signedIn ? ["--cookie", "session=1"] : []),
        ];
        const read = { name, version, signedIn, ...leftOutOf(await check([`${url}/index.html`], place, options), url) };
        all.push(read);
        say(read);
      }
    } finally {
      await processes.end();
      await rm(place, { recursive: true, force: true });
    }
  }
  return all;
}

function leftOutOf({ pages, leftOut, seconds }: Checked, url: string): Pick<Read, "pages" | "leftOut" | "seconds"> {
  const signs = leftOut.filter(({ reason }) => ["acts", "forms", "signs_out"].includes(reason));
  return { pages: pages.length, leftOut: signs.map((one) => `${one.url.slice(url.length)} (${one.reason})`), seconds };
}

/** A Markdown table. */
export function manualsTable(all: readonly Read[]): string {
  const head = "| site | pages | left out by a word, signed out | with a cookie | seconds |\n|---|---|---|---|---|";
  const rows = all
    .filter(({ signedIn }) => !signedIn)
    .map((out) => {
      const careful = all.find(({ name, signedIn }) => signedIn && name === out.name);
      return `| ${out.name} ${out.version} | ${out.pages} | ${listed(out)} | ${careful ? listed(careful) : ""} | ${out.seconds} |`;
    });
  return [head, ...rows].join("\n");
}

function listed({ leftOut }: Read): string {
  return leftOut.length === 0 ? "none" : `${leftOut.length}: ${leftOut.slice(0, 5).join(", ")}`;
}
