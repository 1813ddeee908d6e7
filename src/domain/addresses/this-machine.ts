/** True for the names and addresses of this machine that need no resolver. */
export function isThisMachine(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d+){3}$/.test(name);
}

/** True for a Host header that names this machine. A page whose name leads here only for a moment has its own name in it. */
export function namesThisMachine(host: string | undefined): boolean {
  const hostname = URL.parse(`http://${host}`)?.hostname;
  return hostname !== undefined && isThisMachine(hostname);
}
