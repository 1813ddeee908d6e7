import { appendFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Application } from "./application.ts";
import { installPython } from "./install.ts";
import { answers, run } from "./processes.ts";
import { sqliteTables } from "./rows.ts";

const seed = fileURLToPath(new URL("seeds/wagtail_site.py", import.meta.url));
const packages = ["wagtail==7.*"];

/** A content management system: drafts, versions, moving, unpublishing, workflows. */
export const wagtail: Application = {
  name: "wagtail",
  async install() {
    return (await installPython("wagtail", ...packages)).version;
  },
  async start(place) {
    const { venv } = await installPython("wagtail", ...packages);
    const site = path.join(place.folder, "site");
    await mkdir(site);
    await run([path.join(venv, "bin", "wagtail"), "start", "mysite", site]);
    await appendFile(path.join(site, "mysite/settings/dev.py"), `WAGTAILADMIN_BASE_URL = "${place.url}"\n`);
    const manage = [path.join(venv, "bin", "python"), "manage.py"];
    await run([...manage, "migrate", "-v", "0"], { cwd: site });
    await run([...manage, "shell"], { cwd: site, input: `exec(open(${JSON.stringify(seed)}).read())\n` });
    place.processes.serve("wagtail", [...manage, "runserver", `127.0.0.1:${place.port}`, "--noreload"], { cwd: site });
    await answers(`http://127.0.0.1:${place.port}/admin/login/`);
    const database = path.join(site, "db.sqlite3");
    return { tables: async () => sqliteTables(database), folders: [path.join(site, "media"), path.join(site, "home")] };
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
    {
      of: /^wagtail(images_image|docs_document)$/,
      columns: ["file_size"],
      why: "sizes of files, looked up when they are first shown",
    },
    { of: /^wagtailsearch_.*_fts/, why: "the search index" },
    {
      of: "wagtailcore_pagesubscription",
      kinds: ["added"],
      row: ({ comment_notifications }) => comment_notifications === 0,
      why: "that a user whose form was opened wants no mail of its comments",
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
    signedInWhen: { cookie: "sessionid" },
  };
}
