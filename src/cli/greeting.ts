import { logText } from "html-conformance/log-text";

export type Greeting = {
  url: string;
  /** The first token, its file, and whether this start created it. `token` is undefined when another machine created it. */
  token: { token: string | undefined; file: string | undefined; isNew: boolean };
  /** A code that signs in to the pages once; undefined without pages, or without a token. */
  signInCode?: string | undefined;
  /** The data folder of the embedded PostgreSQL; undefined when DATABASE_URL is used. */
  folder: string | undefined;
  /** This machine's names and networks. */
  networks: readonly string[];
};

/** The text that the service prints at its start: its address, and a working example of a call. */
export function greeting({ url, token: { token, file, isNew }, signInCode, folder, networks }: Greeting): string {
  const secret = file ? `$(cat ${inShell(file)})` : token;
  const lines = [
    `Site Validator listens on ${url}`,
    signInCode && `Sign in: ${url}/sign-in#code=${signInCode}`,
    signInCode && "         works once, for an hour; later paste the token",
    folder ? `Data:   ${folder}` : "Data:   the PostgreSQL of DATABASE_URL",
    token && isNew ? `Token:  ${token}` : undefined,
    file ? `${isNew ? "        kept in" : "Token:  in"} ${file}` : undefined,
    token ? undefined : "Token:  created at the first start with this database. To use another one, set FIRST_TOKEN.",
    `Reports that start at this machine (${networks.join(", ")}) may crawl it; other private networks only when ALLOWED_PRIVATE_CIDRS names them.`,
    "",
    `  curl -H "Authorization: Bearer ${secret ?? "<token>"}" -H "Content-Type: application/json" ${url}/api/v1/reports \\`,
    `    -d '{"data":{"attributes":{"starting_url":"https://example.com/"}}}'`,
    "",
  ];
  return `${logText(lines.filter((line) => line !== undefined).join("\n"))}\n`;
}

/** Quotes a path for a shell. */
function inShell(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
