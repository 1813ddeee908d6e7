import type { Routes } from "../support/site.ts";

const to = (location: string, status = 302, headers: Record<string, string> = {}): Routes[string] => ({
  status,
  headers: { location, ...headers },
});

/**
 * Redirects to what may not be visited. Add a line.
 *
 * @param port of a server on this machine that must not be reached
 */
export function redirects(port: string): { name: string; response: Routes[string] }[] {
  const hosts = ["127.0.0.2", "localhost.", "[::1]", "[::ffff:127.0.0.2]", "2130706434", "0x7f000002", "017700000002"];
  return [
    ...hosts.map((host) => ({ name: `to ${host}`, response: to(`http://${host}:${port}/`) })),
    ...[301, 303, 307, 308].map((status) => ({
      name: `${status} to 127.0.0.2`,
      response: to(`http://127.0.0.2:${port}/`, status),
    })),
    { name: "to the metadata service", response: to("http://169.254.169.254/latest/meta-data/") },
    { name: "to a private network", response: to("http://10.0.0.1/") },
    { name: "to another scheme: file", response: to("file:///etc/passwd") },
    { name: "to another scheme: gopher", response: to(`gopher://127.0.0.1:${port}/_GET`) },
    { name: "to another scheme: ftp", response: to(`ftp://127.0.0.1:${port}/`) },
    { name: "to another scheme: javascript", response: to("javascript:alert(1)") },
    { name: "to another scheme: data", response: to("data:text/html,secret") },
    { name: "to a URL with a user name", response: to(`http://user@127.0.0.1:${port}/`) },
    { name: "to a URL without its scheme", response: to(`//127.0.0.2:${port}/`) },
    { name: "to a URL with backslashes", response: to(`\\\\127.0.0.2:${port}\\`) },
    { name: "to a URL with a backslash before the real host", response: to(`http://127.0.0.2:${port}\\@example.com/`) },
    {
      name: "to a URL with full-width digits",
      response: to(Buffer.from(`http://１２７.0.0.2:${port}/`).toString("latin1")),
    },
    { name: "to an invalid URL", response: to("http://[::1/") },
    { name: "to nothing", response: to("") },
    { name: "to a URL of 100 kB", response: to(`/${"a".repeat(10_000)}`) },
    {
      name: "by two Location headers",
      response: { status: 302, headers: { location: [`http://127.0.0.2:${port}/`, "/"] } },
    },
    { name: "by a status that is none", response: to(`http://127.0.0.2:${port}/`, 300) },
    { name: "by Refresh", response: { headers: { refresh: `0; url=http://127.0.0.2:${port}/` }, body: "x" } },
  ];
}
