import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Application } from "./application.ts";
import { copyTree, installDebian, unpackDebian } from "./install.ts";
import { startMariaDb } from "./mariadb.ts";
import { servePhp } from "./php.ts";
import { run } from "./processes.ts";

const databases = ["shop", "old_shop", "mysql"];

/** An administration of databases: links that drop, empty, delete, and pages that show rows. */
export const phpmyadmin: Application = {
  name: "phpmyadmin",
  async install() {
    await installDebian(
      ...["php-cli", "php-mysql", "php-mbstring", "php-xml", "mariadb-server-core", "mariadb-client-core"],
      ...["php-composer-ca-bundle", "php-google-recaptcha", "php-nikic-fast-route", "php-phpmyadmin-motranslator"],
      ...[
        "php-phpmyadmin-shapefile",
        "php-phpmyadmin-sql-parser",
        "php-twig",
        "php-twig-i18n-extension",
        "php-slim-psr7",
      ],
      ...[
        "php-symfony-config",
        "php-symfony-dependency-injection",
        "php-symfony-expression-language",
        "php-symfony-cache",
      ],
      ...["php-symfony-polyfill-php80", "php-webmozart-assert", "php-mariadb-mysql-kbs"],
    );
    return (await unpacked()).version;
  },
  async start(place) {
    const { root } = await unpacked();
    const site = path.join(place.folder, "phpmyadmin");
    await copyTree(path.join(root, "usr/share/phpmyadmin"), site);
    const settings = path.join(place.folder, "config.inc.php");
    for (const folder of ["tmp", "sessions"]) await mkdir(path.join(place.folder, folder));
    const own = path.join(site, "libraries/vendor_config.php");
    await run([
      "sed",
      "-i",
      `s|/etc/phpmyadmin/config.inc.php|${settings}|; s|/var/lib/phpmyadmin/tmp/|${place.folder}/tmp/|`,
      own,
    ]);
    const database = await startMariaDb(place.folder, place.processes);
    await database.query(seed);
    await writeFile(settings, configuration(database.socket));
    await servePhp(place, site, { settings: { "session.save_path": path.join(place.folder, "sessions") } });
    const tables = async () => {
      const all = await Promise.all(
        databases.map(async (name) =>
          [...(await database.tables(name))].map(([table, rows]) => [`${name}.${table}`, rows] as const),
        ),
      );
      return new Map(all.flat());
    };
    return { tables, folders: [site] };
  },
  roles: { admin: role("admin"), reader: role("reader") },
  // Its manual, and links to others' manuals, would take the place of its own pages.
  options: ["--exclude", "/doc/html/", "--exclude", "/url.php"],
  harmless: [
    {
      of: /^mysql\.(innodb_(table|index)_stats|(table|column|index)_stats|gtid_slave_pos|transaction_registry)$/,
      why: "statistics",
    },
  ],
  acts: [
    /sql_query=(?!SELECT|SHOW|EXPLAIN|DESCRIBE)[A-Z]/i,
    /route=%?2?F?\/?(logout|.*\/(drop|empty|kill|delete|favorite-table))/,
    /kill=/,
  ],
  state: { url: "/*", steps: [{ type: "hover", selector: "body" }] },
};

function unpacked() {
  return unpackDebian(
    ...["phpmyadmin", "libjs-jquery", "libjs-jquery-ui", "libjs-codemirror", "libjs-jquery-mousewheel"],
    ...["libjs-jquery-tablesorter", "libjs-jquery-timepicker"],
  );
}

function role(user: string) {
  return {
    from: ["/index.php?route=/database/structure&db=shop", "/index.php"],
    steps: [
      { type: "navigate", url: "/index.php" },
      { type: "change", selector: "#input_username", value: user },
      { type: "change", selector: "#input_password", value: "only-for-tests" },
      { type: "click", selector: "#input_go" },
    ],
    signedInWhen: { selector: "#serverinfo, #pma_navigation" },
  };
}

const names = ["Bread", "Delete", "Cake", "Update", "Boat", "Map", "Book", "Stamp"];
const seed = databases
  .slice(0, 2)
  .map(
    (name) => `create database ${name}; use ${name};
create table products (id int primary key auto_increment, name varchar(50), price int, index (price));
create table orders (id int primary key auto_increment, product int, remark text, index (product));
create view cheap as select * from products where price < 4;
create procedure forget() delete from orders;
create trigger counted after insert on orders for each row update products set price = price where id = new.product;
insert into products (name, price) values ${names.map((product, number) => `('${product}', ${number})`).join(", ")};
insert into orders (product, remark) values ${names.map((_, number) => `(${number + 1}, 'Order ${number}')`).join(", ")};`,
  )
  .concat(
    "create user admin@localhost identified by 'only-for-tests'; grant all on *.* to admin@localhost with grant option;",
    "create user reader@localhost identified by 'only-for-tests'; grant select, show view on shop.* to reader@localhost;",
  )
  .join("\n");

function configuration(socket: string): string {
  return `<?php
$cfg['blowfish_secret'] = 'only-for-tests-32-characters-xx!'; $cfg['CheckConfigurationPermissions'] = false; $cfg['SendErrorReports'] = 'never';
$cfg['Servers'][1] = ['auth_type' => 'cookie', 'host' => 'localhost', 'socket' => '${socket}', 'AllowNoPassword' => false];
`;
}
