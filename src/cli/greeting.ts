export type Greeting = {
  url: string;
  /** The first token, unless it is another machine's; where it is kept, and whether this start made it. */
  token: { token: string | undefined; file: string | undefined; isNew: boolean };
  /** Of the embedded PostgreSQL; undefined when another one is used. */
  folder: string | undefined;
  /** Networks of this machine, whose sites may be crawled. */
  networks: readonly string[];
};

/** What the service says when it is up: where it listens, and a first call that works. */
export function greeting({ url, token: { token, file, isNew }, folder, networks }: Greeting): string {
  const secret = file ? `$(cat ${inShell(file)})` : token;
  const lines = [
    `Site Validator listens on ${url}`,
    folder ? `Data:   ${folder}` : "Data:   the PostgreSQL of DATABASE_URL",
    token && isNew ? `Token:  ${token}` : undefined,
    file ? `${isNew ? "        kept in" : "Token:  in"} ${file}` : undefined,
    token ? undefined : "Token:  made at the first start on this database; FIRST_TOKEN sets another.",
    `Sites of this machine (${networks.join(", ")}) may be crawled; other private networks only when ALLOWED_PRIVATE_CIDRS names them.`,
    "",
    `  curl -H "Authorization: Bearer ${secret ?? "<token>"}" -H "Content-Type: application/json" ${url}/api/v1/reports \\`,
    `    -d '{"data":{"attributes":{"starting_url":"https://example.com/"}}}'`,
    "",
  ];
  return `${lines.filter((line) => line !== undefined).join("\n")}\n`;
}

/** A path as a shell takes it. */
function inShell(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
