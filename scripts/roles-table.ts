import { routes } from "../src/api/routes.ts";
import { rightOf, rights, roleHas, roles, siteRoleHas, siteRoles } from "../src/domain/accounts/roles.ts";

const BEGIN = "| operation | right | site | reader | editor | owner |\n|---|---|---|---|---|---|\n";

/** Writes the table of all operations by roles into docs/people.md. @throws if the page has no such table */
export function withRolesTable(page: string): string {
  const [before, after] = page.split(BEGIN);
  if (after === undefined) throw new Error("docs/people.md has no table with the columns operation, right and roles.");
  const named = Object.keys(rights);
  const rows = routes
    .filter(({ access }) => access !== "public")
    .map((route) => ({ route, right: rightOf(route) }))
    .sort((a, b) => named.indexOf(a.right) - named.indexOf(b.right))
    .map(({ route, right }) => {
      const path = route.path.replace(/:(\w+)/g, "{$1}");
      const may = roles.map((role) => (roleHas(role, right) ? "yes" : "no"));
      const site = siteRoles.some((role) => siteRoleHas(role, right)) ? route.site : undefined;
      return `| \`${route.method} ${path}\` | ${right} | ${site?.replace("_", " ") ?? "–"} | ${may.join(" | ")} |\n`;
    });
  const end = after.indexOf("\n\n");
  return [before, BEGIN, ...rows, after.slice(end + 1)].join("");
}
