import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Application, Place } from "./application.ts";
import { copyTree, installDebian, unpackDebian } from "./install.ts";
import { startMariaDb } from "./mariadb.ts";
import { phpSettings, servePhp } from "./php.ts";
import { run } from "./processes.ts";

const seed = fileURLToPath(new URL("seeds/wordpress.php", import.meta.url));

/** A blog and its administration: lists whose links trash, delete, approve, activate. */
export const wordpress: Application = {
  name: "wordpress",
  async install() {
    await installDebian(
      "php-cli",
      "php-mysql",
      "php-gd",
      "php-mbstring",
      "php-xml",
      "php-curl",
      "mariadb-server-core",
      "mariadb-client-core",
    );
    return (await unpacked()).version;
  },
  async start(place) {
    const { root } = await unpacked();
    const site = path.join(place.folder, "wordpress");
    await copyTree(path.join(root, "usr/share/wordpress"), site);
    await copyTree(path.join(root, "usr/share/wordpress/wp-content/themes"), path.join(site, "wp-content/themes"));
    await run(["cp", "-rL", path.join(root, "var/lib/wordpress/wp-content/."), path.join(site, "wp-content")]);
    const database = await startMariaDb(place.folder, place.processes);
    await database.query("create database wordpress");
    await writeFile(path.join(site, "wp-config.php"), configuration(place, database.socket));
    await run(["php", ...phpSettings({}), seed, site]);
    await servePhp(place, site);
    await openFirst(place);
    return { tables: () => database.tables("wordpress"), folders: [site] };
  },
  roles: {
    admin: role("admin", ["/wp-admin/edit.php", "/wp-admin/"]),
    editor: role("editor", ["/wp-admin/edit.php", "/wp-admin/"]),
    subscriber: role("reader", ["/wp-admin/", "/"]),
  },
  harmless: [
    { of: "wp_options", row: named("option_name", /^(_(site_)?transient_.*|category_children)$/), why: "caches" },
    { of: "wp_options", row: named("option_name", /^(cron|doing_cron)$/), why: "the clock of its own jobs" },
    {
      of: "wp_options",
      row: named(
        "option_name",
        /^(can_compress_scripts|recently_activated|recently_edited|rewrite_rules|db_upgraded|finished_updating_comment_type|_wp_suggested_policy_text_has_changed)$/,
      ),
      why: "what its administration remembers of its server",
    },
    { of: "wp_usermeta", row: named("meta_key", /^session_tokens$/), why: "sessions" },
    { of: "wp_usermeta", row: named("meta_key", /quick_press_last_post_id$/), why: "which empty draft is a user's" },
    {
      of: "wp_usermeta",
      row: named(
        "meta_key",
        /^(wp_user-settings(-time)?|wp_media_library_mode|show_welcome_panel|community-events-location|enable_custom_fields|wp_persisted_preferences)$/,
      ),
      why: "how a user has looked at lists",
    },
    {
      of: "wp_posts",
      kinds: ["added"],
      row: named("post_status", /^auto-draft$/),
      why: "empty drafts of opened forms, which WordPress deletes after a week",
    },
    {
      of: "wp_postmeta",
      row: named("meta_key", /^_wp_suggested_privacy_policy_content$/),
      why: "what WordPress suggests for a page on privacy",
    },
    { of: "wp_postmeta", row: named("meta_key", /^_edit_lock$/), why: "edit locks of two minutes of opened forms" },
    {
      of: "wp_posts",
      kinds: ["added"],
      row: named("post_type", /^wp_navigation$/),
      why: "an empty menu of the opened site editor",
    },
  ],
  acts: [/[?&]action=(?!edit\b|lostpassword\b)/, /[?&]_wpnonce=/, /wp-admin\/post-new\.php/],
  asks: [/users\.php\?action=delete/, /comment\.php\?action=(editcomment|cdc)/],
  state: { url: "/wp-admin/edit.php", steps: [{ type: "click", selector: "#show-settings-link" }] },
};

function unpacked() {
  return unpackDebian(
    "wordpress",
    "wordpress-theme-twentytwentythree",
    "libjs-cropper",
    "libjs-underscore",
    "php-getid3",
  );
}

/** Opens pages at which WordPress makes things once, for all: these are no news later. */
async function openFirst({ url, folder }: Place): Promise<void> {
  const jar = ["-s", "-L", "-o", "/dev/null", "-b", path.join(folder, "cookies"), "-c", path.join(folder, "cookies")];
  const open = (page: string, ...options: string[]) => run(["curl", ...jar, ...options, url + page]);
  for (const page of ["/", "/wp-cron.php", "/wp-login.php"]) await open(page);
  await open("/wp-login.php", "-d", "log=admin&pwd=only-for-tests&testcookie=1");
  for (const page of ["/wp-admin/site-editor.php", "/wp-admin/options-privacy.php?tab=policyguide", "/"])
    await open(page);
}

function named(column: string, names: RegExp) {
  return (row: Readonly<Record<string, unknown>>) => names.test(String(row[column]));
}

function role(user: string, from: string[]) {
  return {
    from,
    steps: [
      { type: "navigate", url: "/wp-login.php" },
      // Its script takes the focus a moment after the page has loaded: what is being typed then would be lost.
      { type: "waitForElement", selector: "#user_login:focus" },
      { type: "change", selector: "#user_login", value: user },
      { type: "change", selector: "#user_pass", value: "only-for-tests" },
      { type: "click", selector: "#wp-submit" },
    ],
    signedInWhen: { selector: "#wpadminbar" },
  };
}

function configuration({ url }: Place, socket: string): string {
  return `<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'root'); define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:${socket}'); define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('AUTH_KEY', 'a'); define('SECURE_AUTH_KEY', 'b'); define('LOGGED_IN_KEY', 'c'); define('NONCE_KEY', 'd');
define('AUTH_SALT', 'e'); define('SECURE_AUTH_SALT', 'f'); define('LOGGED_IN_SALT', 'g'); define('NONCE_SALT', 'h');
define('WP_HOME', '${url}'); define('WP_SITEURL', '${url}'); define('FS_METHOD', 'direct');
define('WP_HTTP_BLOCK_EXTERNAL', true); define('AUTOMATIC_UPDATER_DISABLED', true);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`;
}
