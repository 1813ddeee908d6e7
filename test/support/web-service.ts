import { readFile } from "node:fs/promises";
import path from "node:path";
import { openSandbox, type Sandbox, type StartOptions } from "./run-program.ts";
import { eventually } from "./wait.ts";

/** The service with its pages, as one machine runs it, with a folder of its own. */
export type WebService = { url: string; token: string; signInLink: string; sandbox: Sandbox; close(): Promise<void> };

/** @param options another command than this project's, if given */
export async function startWebService(
  env: Record<string, string> = {},
  options: StartOptions = {},
): Promise<WebService> {
  const sandbox = await openSandbox();
  const own = { DATA_DIR: path.join(sandbox.folder, "data"), PORT: "0", REQUESTS_PER_MINUTE: "0", LOG_LEVEL: "error" };
  const program = sandbox.start(["standalone"], { ...own, ...env }, options);
  const failed = program.ended.then(({ stderr }) => Promise.reject(new Error(`The service ended: ${stderr}`)));
  failed.catch(() => {});
  await Promise.race([eventually(() => program.stdout().includes("starting_url")), failed]);
  const printed = program.stdout();
  return {
    url: /listens on (\S+)/.exec(printed)?.[1] ?? "",
    signInLink: /Sign in: (\S+)/.exec(printed)?.[1] ?? "",
    token: env.FIRST_TOKEN ?? (await readFile(path.join(sandbox.folder, "data", "first-token"), "utf8")).trim(),
    sandbox,
    close: () => sandbox.close(),
  };
}

/** A response of the service to a browser that follows no redirects. */
export type WebReply = { status: number; headers: Headers; html: string; location: string | null };

/** A page in one of its states, as the service sent it. */
export type Stop = { name: string; path: string; status: number; html: string };

/** What a form sends, by the names of its fields; as a list where a name can come again. */
type Fields = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

/** A browser without script: it keeps cookies, and sends forms as they stand on pages. */
export type WebClient = {
  get(path: string): Promise<WebReply>;
  /** Sends a form; `csrf` and `key` are those of the last page that had some, unless given. */
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<WebReply>;
  /** The value of the Cookie header. */
  cookie(): string;
};

export function webClient(url: string): WebClient {
  let cookie = "";
  let hidden: Record<string, string> = {};
  const request = async (target: string, init: RequestInit): Promise<WebReply> => {
    const headers = new Headers(init.headers);
    if (cookie) headers.set("cookie", cookie);
    const response = await fetch(url + target, { ...init, headers, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) cookie = set.split(";")[0]?.replace(/=$/, "") ?? "";
    if (!cookie.includes("=")) cookie = "";
    const html = await response.text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1];
    const key = /name="key" value="([^"]+)"/.exec(html)?.[1];
    if (csrf && key) hidden = { csrf, key };
    return { status: response.status, headers: response.headers, html, location: response.headers.get("location") };
  };
  return {
    get: (target) => request(target, { headers: { accept: "text/html" } }),
    post(target, fields, headers = {}) {
      const sent = Array.isArray(fields)
        ? (fields as [string, string][])
        : Object.entries(fields as Record<string, string>);
      const own = Object.entries(hidden).filter(([name]) => !sent.some(([given]) => given === name));
      return request(target, { method: "POST", body: new URLSearchParams([...own, ...sent]), headers });
    },
    cookie: () => cookie,
  };
}

/** A client that is signed in with a token. */
export async function signedIn({ url, token }: Pick<WebService, "url" | "token">): Promise<WebClient> {
  const client = webClient(url);
  await client.post("/sign-in", { token });
  await client.get("/");
  return client;
}
