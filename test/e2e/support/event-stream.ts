import { get, type IncomingMessage } from "node:http";
import { HOST, ingress } from "./installation.ts";

/** Opens a stream of events through the Ingress. @returns the answer, and what came of it so far */
export function openEvents(path: string, token: string): Promise<{ answer: IncomingMessage; text: () => string }> {
  return new Promise((resolve, reject) => {
    const headers = { Host: HOST, Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
    const outgoing = get({ ...ingress, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      resolve({ answer, text: () => text });
    });
    outgoing.once("error", reject);
  });
}
