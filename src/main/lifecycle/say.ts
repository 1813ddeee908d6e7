import { logText } from "html-conformance/log-text";

/** Writes a message to stderr, which people read on terminals, and build servers for commands. */
export function say(message: string): void {
  process.stderr.write(`${logText(message)}\n`);
}
