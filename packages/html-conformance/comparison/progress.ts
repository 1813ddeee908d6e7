/** Shows on a terminal how far it is. */
export function showProgress(what: string, done: number, all: number): void {
  if (!process.stderr.isTTY || done % 50 !== 0) return;
  process.stderr.write(done < all ? `\r${done} of ${all} ${what}` : "\r\u001b[K");
}
