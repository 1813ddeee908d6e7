import { appendFile, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Application } from "./application.ts";
import { installDebian, unpackDebian } from "./install.ts";
import { phpSettings, servePhp } from "./php.ts";
import { run } from "./processes.ts";
import { sqliteTables, type Tables } from "./rows.ts";

const seed = fileURLToPath(new URL("seeds/mediawiki.php", import.meta.url));
const extensions = "Cite,InputBox,Interwiki,Nuke,ParserFunctions,Renameuser,ReplaceText,WikiEditor";

/** A wiki in a database: versions, watchlists, protection, deleting, blocking. */
export const mediawiki: Application = {
  name: "mediawiki",
  async install() {
    await installDebian("php-cli", "php-sqlite3", "php-mbstring", "php-xml", "php-intl", "php-gd", "php-curl");
    return (await unpackDebian("mediawiki", "mediawiki-classes")).version;
  },
  async start(place) {
    const { root } = await unpackDebian("mediawiki", "mediawiki-classes");
    const site = path.join(root, "usr/share/mediawiki");
    const data = path.join(place.folder, "data");
    const files = path.join(place.folder, "files");
    for (const folder of [data, files, path.join(files, "images"), path.join(files, "cache")]) await mkdir(folder);
    const settings = path.join(files, "LocalSettings.php");
    const env = { MW_CONFIG_FILE: settings };
    const maintain = (name: string, ...args: string[]) =>
      run(["php", ...phpSettings({}), path.join(site, "maintenance", name), ...args], {
        ...(name !== "install.php" && { env }),
      });
    await maintain(
      "install.php",
      ...["--dbtype", "sqlite", "--dbpath", data, "--dbname", "wiki", "--server", place.url, "--scriptpath", ""],
      ...["--pass", "only-for-tests-1", "--confpath", files, `--extensions=${extensions}`, "A wiki", "Admin"],
    );
    await appendFile(
      settings,
      `$wgEnableUploads = true; $wgUploadDirectory = '${files}/images'; $wgCacheDirectory = '${files}/cache';
$wgMainCacheType = CACHE_DB; $wgEnableEmail = false; $wgUseInstantCommons = false; $wgPingback = false;\n`,
    );
    await run(["php", ...phpSettings({}), seed, site], { env });
    await maintain("runJobs.php");
    await servePhp(place, site, { env, ready: "/index.php/Main_Page" });
    return { tables: () => tablesOf(data), folders: [files] };
  },
  roles: {
    admin: role("Admin", ["/index.php/Main_Page", "/index.php/Special:SpecialPages"]),
    reader: role("Reader", ["/index.php/Main_Page", "/index.php/Special:SpecialPages"]),
  },
  harmless: [
    { of: /objectcache$/, why: "sessions and caches" },
    { of: /^wiki\.(module_deps|l10n_cache|querycache|querycache_info|site_stats)$/, why: "caches" },
    { of: /^(wikicache|l10n).*/, why: "caches" },
    { of: "wiki.user", columns: ["user_touched"], why: "last visit" },
    {
      of: "wiki.user_properties",
      row: ({ up_property }) => /^rcfilters-/.test(String(up_property)),
      why: "how a user has looked at lists",
    },
    { of: "wiki.page", columns: ["page_touched"], why: "caches" },
    { of: "wiki.watchlist", columns: ["wl_notificationtimestamp"], why: "which watched pages a user has seen" },
    { of: /\.sqlite_sequence$/, why: "counters" },
    { of: /^files\/(cache|images\/thumb)\//, why: "caches" },
    { of: /job$/, why: "jobs that wait" },
  ],
  acts: [/[?&]action=rollback/, /UserLogout/],
  asks: [
    /[?&]action=(delete|protect|unprotect|purge|watch|unwatch|revert|mcrundo|mcrrestore|markpatrolled)/,
    /Special:(MovePage|Block|Unblock|Undelete|UserRights|Nuke|RenameUser|ReplaceText|ChangePassword|ChangeContentModel|MergeHistory|Import|EditWatchlist\/clear|PageLanguage|BotPasswords|ResetTokens)/,
  ],
  state: { url: "/index.php/*", steps: [{ type: "hover", selector: "h1" }] },
};

function role(user: string, from: string[]) {
  return {
    from,
    steps: [
      { type: "navigate", url: "/index.php/Special:UserLogin" },
      { type: "change", selector: "#wpName1", value: user },
      { type: "change", selector: "#wpPassword1", value: "only-for-tests-1" },
      { type: "click", selector: "#wpLoginAttempt" },
    ],
    signedInWhen: { selector: "#pt-userpage, #pt-logout" },
  };
}

/** The tables of all of its databases, with the database's name before theirs. */
async function tablesOf(folder: string): Promise<Tables> {
  const tables = new Map<string, ReadonlyMap<string, Readonly<Record<string, unknown>>>>();
  for (const file of await readdir(folder)) {
    if (!file.endsWith(".sqlite")) continue;
    for (const [name, rows] of sqliteTables(path.join(folder, file)))
      tables.set(`${path.parse(file).name}.${name}`, rows);
  }
  return tables;
}
