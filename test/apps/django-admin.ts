import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Application } from "./application.ts";
import { installPython } from "./install.ts";
import { run } from "./processes.ts";
import { serveWsgi } from "./python.ts";
import { sqliteTables } from "./rows.ts";

const seed = fileURLToPath(new URL("seeds/django_admin.py", import.meta.url));
const packages = ["django==5.2.*", "waitress"];

/** Django's own administration: lists, forms, pages that ask before deleting. */
export const djangoAdmin: Application = {
  name: "django-admin",
  async install() {
    return (await installPython("django", ...packages)).version;
  },
  async start(place) {
    const { venv } = await installPython("django", ...packages);
    await mkdir(path.join(place.folder, "data"));
    await copyFile(seed, path.join(place.folder, "django_admin.py"));
    await run([path.join(venv, "bin", "python"), "django_admin.py"], { cwd: place.folder });
    await serveWsgi(place, venv, "django_admin:application", { ready: "/admin/login/" });
    const data = path.join(place.folder, "data");
    return {
      tables: async () => sqliteTables(path.join(data, "db.sqlite3")),
      folders: [path.join(place.folder, "media")],
    };
  },
  roles: { admin: role("admin"), viewer: role("viewer") },
  harmless: [
    { of: "django_session", why: "sessions" },
    { of: "auth_user", columns: ["last_login"], why: "last sign-in" },
    { of: "sqlite_sequence", why: "counters" },
  ],
  acts: [/\/logout\//],
  asks: [/\/delete\/(\?|$)/],
  state: { url: "/admin/", steps: [{ type: "hover", selector: "h1" }] },
};

function role(user: string) {
  return {
    from: ["/admin/"],
    steps: [
      { type: "navigate", url: "/admin/login/?next=/admin/" },
      { type: "change", selector: "#id_username", value: user },
      { type: "change", selector: "#id_password", value: "only-for-tests" },
      { type: "click", selector: "input[type=submit]" },
    ],
    signedInWhen: { selector: "#user-tools" },
  };
}
