import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Application } from "./application.ts";
import { installPython } from "./install.ts";
import { run } from "./processes.ts";
import { serveWsgi } from "./python.ts";
import { sqliteTables } from "./rows.ts";

const seed = fileURLToPath(new URL("seeds/wagtail_site.py", import.meta.url));
const packages = ["wagtail==7.*", "waitress"];

/** A content management system: drafts, versions, moving, unpublishing, workflows. */
export const wagtail: Application = {
  name: "wagtail",
  async install() {
    return (await installPython("wagtail", ...packages)).version;
  },
  async start(place) {
    const { venv } = await installPython("wagtail", ...packages);
    const data = path.join(place.folder, "data");
    const media = path.join(place.folder, "media");
    for (const folder of [data, media]) await mkdir(folder);
    await copyFile(seed, path.join(place.folder, "wagtail_site.py"));
    await run([path.join(venv, "bin", "python"), "wagtail_site.py"], { cwd: place.folder, env: { SITE: place.url } });
    await serveWsgi(place, venv, "wagtail_site:application", { ready: "/admin/login/", env: { SITE: place.url } });
    return { tables: async () => sqliteTables(path.join(data, "db.sqlite3")), folders: [media] };
  },
  roles: { admin: role("admin"), editor: role("editor") },
  harmless: [
    { of: "django_session", why: "sessions" },
    { of: "auth_user", columns: ["last_login"], why: "last sign-in" },
    { of: "wagtailadmin_editingsession", why: "who has a form open just now" },
    { of: "wagtailimages_rendition", kinds: ["added"], why: "smaller pictures, made when they are first shown" },
    { of: /^media\/images\//, kinds: ["added"], why: "smaller pictures, made when they are first shown" },
    {
      of: "wagtailusers_userprofile",
      kinds: ["added"],
      why: "empty settings of a user who signs in for the first time",
    },
    { of: "sqlite_sequence", why: "counters" },
  ],
  acts: [/\/logout\//, /\/(lock|unlock)\/(\?|$)/, /workflow\/(disable|enable)/],
  asks: [
    /\/(delete|unpublish|move|copy|convert_alias|confirm_[a-z_]+|revert|unschedule|disable|enable|cancel)\/(\d+\/)*(\?|$)/,
    /bulk\//,
  ],
  state: { url: "/admin/", steps: [{ type: "hover", selector: "h1" }] },
};

function role(user: string) {
  return {
    from: ["/admin/", "/"],
    steps: [
      { type: "navigate", url: "/admin/login/" },
      { type: "change", selector: "input[name=username]", value: user },
      { type: "change", selector: "input[name=password]", value: "only-for-tests" },
      { type: "click", selector: "button[type=submit]" },
    ],
    signedInWhen: { selector: "#wagtail-sidebar, [data-wagtail-sidebar], .sidebar" },
  };
}
