import { get, type IncomingMessage } from "node:http";
import { host, ingress } from "./installation.ts";

/** Opens a stream of events through the Ingress. @returns the response, and what it has received so far */
export function openEvents(path: string, token: string): Promise<{ response: IncomingMessage; text: () => string }> {
  return new Promise((resolve, reject) => {
    const headers = { Host: host(), Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
    const outgoing = get({ ...ingress, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      resolve({ response, text: () => text });
    });
    outgoing.once("error", reject);
  });
}
