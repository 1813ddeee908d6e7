import { chmod, copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Application, Place } from "./application.ts";
import { copyTree, installDebian, unpackDebian } from "./install.ts";
import { servePhp } from "./php.ts";
import { freePort, run } from "./processes.ts";
import { type Row, sqliteTables, type Tables } from "./rows.ts";

const scripts = [
  "libjs-bootstrap4",
  "libjs-jquery",
  "libjs-jquery-ui",
  "libjs-jquery-minicolors",
  "libjs-jstimezonedetect",
];

/** Mail in a browser: reading, flags, folders, contacts. Dovecot keeps the mail. */
export const roundcube: Application = {
  name: "roundcube",
  async install() {
    await installDebian(
      ...["php-cli", "php-sqlite3", "php-mbstring", "php-xml", "php-intl", "php-gd", "php-mail-mime", "php-net-smtp"],
      ...[
        "php-auth-sasl",
        "php-net-sieve",
        "php-masterminds-html5",
        "php-guzzlehttp-guzzle",
        "php-pear",
        "dovecot-imapd",
      ],
    );
    return (await unpacked()).version;
  },
  async start(place) {
    const { root } = await unpacked();
    const site = path.join(place.folder, "roundcube");
    await copyTree(path.join(root, "usr/share/roundcube"), site);
    await run(["rm", "-rf", path.join(site, "installer")]);
    const mail = await startDovecot(place);
    const database = path.join(place.folder, "roundcube.db");
    for (const folder of ["config", "temp", "logs"]) await mkdir(path.join(site, folder), { recursive: true });
    await copyFile(path.join(root, "etc/roundcube/defaults.inc.php"), path.join(site, "config/defaults.inc.php"));
    await copyFile(path.join(root, "etc/roundcube/mimetypes.php"), path.join(site, "config/mimetypes.php"));
    await writeFile(path.join(site, "config/config.inc.php"), configuration(database, mail.port));
    await writeFile(path.join(place.folder, "prepend.php"), `<?php define('INSTALL_PATH', '${site}/');`);
    await run(["php", "-r", seed, path.join(site, "SQL/sqlite.initial.sql"), database]);
    await servePhp(place, site, { settings: { auto_prepend_file: path.join(place.folder, "prepend.php") } });
    const tables = async () => new Map([...sqliteTables(database), ...(await mail.tables())]);
    return { tables, folders: [path.join(site, "config")] };
  },
  roles: {
    user: {
      from: ["/?_task=mail", "/?_task=settings", "/?_task=addressbook"],
      steps: [
        { type: "navigate", url: "/" },
        { type: "change", selector: "#rcmloginuser", value: "ann" },
        { type: "change", selector: "#rcmloginpwd", value: "only-for-tests" },
        { type: "click", selector: "#rcmloginsubmit" },
      ],
      signedInWhen: { cookie: "roundcube_sessauth" },
    },
  },
  options: ["--dynamic"],
  harmless: [
    { of: "session", why: "sessions" },
    {
      of: "users",
      columns: ["last_login", "failed_login", "failed_login_counter", "preferences"],
      why: "last sign-in, and how a user has looked at lists",
    },
    { of: /^(users|identities)$/, kinds: ["added"], why: "an account's settings, made at its first sign-in" },
    { of: /^cache/, why: "caches" },
    { of: "sqlite_sequence", why: "counters" },
    { of: "mail", columns: ["flags"], row: ({ flags }) => flags === "S", why: "which messages a user has read" },
  ],
  acts: [
    /[?&]_action=(delete|move|mark|copy|send|save|import|purge|expunge|subscribe|unsubscribe|create|rename)/,
    /[?&]_task=logout/,
    /[?&]_token=/,
  ],
  state: { url: "/*", steps: [{ type: "hover", selector: "body" }] },
};

/** Tables, and a user with contacts; the account itself comes with the first sign-in, as `ann` on this machine. */
const seed = `
$db = new PDO('sqlite:' . $argv[2]);
$db->exec(file_get_contents($argv[1]));
$db->exec("INSERT INTO users (username, mail_host, created, language, preferences) VALUES ('ann', '127.0.0.1', datetime('now'), 'en_US', 'a:0:{}')");
$db->exec("INSERT INTO identities (user_id, changed, del, standard, name, email) VALUES (1, datetime('now'), 0, 1, 'Ann', 'ann@example.org')");
foreach (['Ben', 'Carl', 'Delete', 'Dora'] as $name)
    $db->exec("INSERT INTO contacts (user_id, changed, name, email, firstname) VALUES (1, datetime('now'), '$name', '" . strtolower($name) . "@example.org', '$name')");
`;

function configuration(database: string, port: number): string {
  return `<?php
$config = ['db_dsnw' => 'sqlite:///${database}?mode=0640', 'imap_host' => '127.0.0.1:${port}', 'smtp_host' => '127.0.0.1:9',
  'des_key' => 'only-for-tests-24-bytes!', 'plugins' => ['archive', 'zipdownload', 'markasjunk'], 'skin' => 'elastic', 'create_default_folders' => true,
  'log_driver' => 'file', 'enable_installer' => false, 'mime_types' => null, 'session_lifetime' => 60];
`;
}

function unpacked() {
  return unpackDebian("roundcube-core", "roundcube", "roundcube-plugins", ...scripts);
}

const messages = [
  "Hello",
  "Delete this",
  "An invoice",
  "How to unsubscribe",
  "Lunch",
  "Trip",
  "Confirm your order",
  "Notes",
];

/** An IMAP server with a mailbox, which nobody else on this machine needs. @returns its port, and its mail as a table */
async function startDovecot({ folder, processes }: Place): Promise<{ port: number; tables: () => Promise<Tables> }> {
  const port = await freePort();
  const [base, box] = [path.join(folder, "dovecot"), path.join(folder, "mail")];
  await mkdir(base);
  for (const name of ["", ".Sent", ".Drafts", ".Trash", ".Junk", ".Archive"])
    for (const part of ["cur", "new", "tmp"]) await mkdir(path.join(box, name, part), { recursive: true });
  for (const [number, subject] of messages.entries()) {
    const text = `From: Ben <ben@example.org>\r\nTo: Ann <ann@example.org>\r\nSubject: ${subject}\r\nDate: Sun, 1 Nov 2026 10:0${number}:00 +0000\r\nMessage-ID: <${number}@example.org>\r\nContent-Type: text/html\r\n\r\n<p>${subject}: a letter with a <a href="https://example.org/">link</a>.</p>\r\n`;
    const place = number === 5 ? ".Drafts" : number === 6 ? ".Trash" : "";
    await writeFile(path.join(box, place, "cur", `${1_790_000_000 + number}.M1P1.host:2,`), text);
  }
  await run(["chown", "-R", "mail:mail", box]);
  await chmod(box, 0o755);
  await writeFile(path.join(folder, "dovecot.conf"), dovecotConfiguration(base, box, port));
  await writeFile(path.join(folder, "dovecot.users"), "ann:{PLAIN}only-for-tests\n");
  processes.serve("dovecot", ["dovecot", "-F", "-c", path.join(folder, "dovecot.conf")]);
  return { port, tables: () => mailIn(box) };
}

function dovecotConfiguration(base: string, box: string, port: number): string {
  return `base_dir = ${base}
state_dir = ${base}
log_path = ${base}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain
mail_location = maildir:${box}
first_valid_uid = 1
passdb {
  driver = passwd-file
  args = ${path.join(path.dirname(base), "dovecot.users")}
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${box}
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
namespace inbox {
  inbox = yes
}
`;
}

/** Each message by its folder and name, with its flags: a name ends with `:2,` and them. */
async function mailIn(box: string): Promise<Tables> {
  const rows = new Map<string, Row>();
  const entries = await readdir(box, { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of entries.filter(
    (entry) => entry.isFile() && /\/(cur|new)$/.test(entry.parentPath),
  )) {
    const [id = "", flags = ""] = name.replace(/,[SW]=\d+/g, "").split(":2,");
    const folder = path.relative(box, path.dirname(parentPath));
    rows.set(`${folder}/${id}`, { folder, id, flags });
  }
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith(".")).map(({ name }) => name);
  return new Map([
    ["mail", rows],
    ["mail_folders", new Map(folders.map((name) => [name, { name }]))],
  ]);
}
