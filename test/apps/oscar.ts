import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Application } from "./application.ts";
import { installPython } from "./install.ts";
import { run } from "./processes.ts";
import { serveWsgi } from "./python.ts";
import { sqliteTables } from "./rows.ts";

const seed = fileURLToPath(new URL("seeds/oscar_shop.py", import.meta.url));
const packages = ["django-oscar==4.*", "waitress", "factory-boy"];

/** A shop: baskets, lists of wishes, addresses, orders, and its dashboard. */
export const oscar: Application = {
  name: "oscar",
  async install() {
    return (await installPython("oscar", ...packages)).version;
  },
  async start(place) {
    const { venv } = await installPython("oscar", ...packages);
    const data = path.join(place.folder, "data");
    await mkdir(data);
    await copyFile(seed, path.join(place.folder, "oscar_shop.py"));
    await run([path.join(venv, "bin", "python"), "oscar_shop.py"], { cwd: place.folder });
    await serveWsgi(place, venv, "oscar_shop:application", { ready: "/accounts/login/" });
    return {
      tables: async () => sqliteTables(path.join(data, "db.sqlite3")),
      folders: [path.join(place.folder, "media")],
    };
  },
  roles: { admin: role("admin", ["/dashboard/", "/"]), customer: role("customer", ["/", "/accounts/"]) },
  harmless: [
    { of: "django_session", why: "sessions" },
    { of: "auth_user", columns: ["last_login"], why: "last sign-in" },
    { of: /^analytics_(productrecord|userrecord|userproductview)$/, why: "counters" },
    { of: "basket_basket", kinds: ["added"], why: "an empty basket for somebody who has none" },
    { of: "communication_notification", columns: ["date_read"], why: "which messages a user has read" },
    { of: "sqlite_sequence", why: "counters" },
  ],
  acts: [
    /\/logout\//,
    /\/default_for_\w+\//,
    /\/alerts\/(cancel|confirm)\//,
    /\/wishlists\/\w+\/add\/\d+\//,
    /\/move-to\//,
  ],
  asks: [/\/delete\//, /\/remove\//],
  state: { url: "/", steps: [{ type: "hover", selector: "h1" }] },
};

function role(user: string, from: string[]) {
  return {
    from,
    steps: [
      { type: "navigate", url: "/accounts/login/" },
      { type: "change", selector: "#id_login-username", value: `${user}@example.org` },
      { type: "change", selector: "#id_login-password", value: "only-for-tests" },
      { type: "click", selector: "button[name=login_submit]" },
    ],
    signedInWhen: { cookie: "sessionid" },
  };
}
