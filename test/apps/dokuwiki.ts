import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Application } from "./application.ts";
import { copyTree, installDebian, unpackDebian } from "./install.ts";
import { phpSettings, servePhp } from "./php.ts";
import { run } from "./processes.ts";

const seed = fileURLToPath(new URL("seeds/dokuwiki.php", import.meta.url));

/** A wiki that keeps files only: pages, versions, drafts, locks. */
export const dokuwiki: Application = {
  name: "dokuwiki",
  async install() {
    await installDebian(
      ...["php-cli", "php-xml", "php-gd", "php-mbstring", "php-geshi", "php-phpseclib", "php-random-compat"],
      ...["libphp-simplepie", "libjs-jquery", "libjs-jquery-ui", "libjs-jquery-cookie"],
    );
    return (await unpackDebian("dokuwiki")).version;
  },
  async start(place) {
    const { root } = await unpackDebian("dokuwiki");
    const site = path.join(place.folder, "dokuwiki");
    await copyTree(path.join(root, "usr/share/dokuwiki"), site);
    await copyTree(path.join(root, "var/lib/dokuwiki/data"), path.join(site, "data"));
    await run(["cp", "-r", path.join(root, "etc/dokuwiki"), path.join(site, "conf")]);
    await run(["rm", "-f", path.join(site, "conf/acl.auth.php"), path.join(site, "conf/users.auth.php")]);
    await writeFile(path.join(site, "conf/local.php"), configuration(path.join(site, "data")));
    await writeFile(path.join(site, "inc/preload.php"), `<?php define('DOKU_CONF', '${site}/conf/');`);
    await symlink("/usr/share/javascript", path.join(site, "javascript"));
    await run(["php", ...phpSettings({}), seed, site]);
    await servePhp(place, site, { ready: "/doku.php" });
    return {
      tables: async () => new Map(),
      folders: [path.join(site, "data"), path.join(site, "conf"), path.join(site, "lib")],
    };
  },
  roles: {
    admin: role("admin", ["/doku.php?id=start", "/doku.php?id=start&do=admin"]),
    reader: role("reader", ["/doku.php?id=start"]),
  },
  harmless: [
    // Drafts are kept beside caches, and are none.
    { of: /^data\/cache\/(?!.*\.draft$)/, why: "caches" },
    { of: /^data\/index\//, why: "the search index" },
    { of: /^data\/meta\/.*\.(indexed|meta|trimmed)$/, why: "what its indexer knows of a page" },
    { of: /^data\/log\//, why: "logs" },
    { of: /^data\/locks\/_/, why: "locks of its indexer" },
    { of: /^data\/locks\/[0-9a-f]{32}\.lock$/, why: "edit locks of 15 minutes of opened forms" },
    { of: /^data\/(meta\/_htcookiesalt2?|cache\/_htcookiesalt2?)$/, why: "a salt, made at the first sign-in" },
  ],
  acts: [/[?&]do=(draftdel|recover|save|cancel|revert|logout)/, /fn%5Bdelete/, /[?&]purge=/],
  asks: [/[?&]do=subscribe/],
  state: { url: "/doku.php*", steps: [{ type: "hover", selector: "h1" }] },
};

function role(user: string, from: string[]) {
  return {
    from,
    steps: [
      { type: "navigate", url: "/doku.php?id=start&do=login" },
      { type: "change", selector: "input[name=u]", value: user },
      { type: "change", selector: "#dw__login input[name=p]", value: "only-for-tests" },
      { type: "click", selector: "#dw__login button[type=submit]" },
    ],
    signedInWhen: { selector: ".user" },
  };
}

function configuration(data: string): string {
  return `<?php
$conf['title'] = 'A wiki'; $conf['lang'] = 'en'; $conf['useacl'] = 1; $conf['superuser'] = '@admin';
$conf['authtype'] = 'authplain'; $conf['savedir'] = '${data}'; $conf['updatecheck'] = 0; $conf['subscribers'] = 1;
$conf['disableactions'] = 'register'; $conf['license'] = 'cc-by-sa';
`;
}
