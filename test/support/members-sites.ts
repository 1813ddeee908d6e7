import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Route, Routes } from "./site.ts";

export const page = (title: string, body: string): string =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;

export const USER = "ada@example.org";
export const PASSWORD = "correct horse";

type Settings = {
  /** Pages besides the start. */
  pages?: number;
  /** What each of them is. */
  product?: string;
  /** A session ends after this many requests. */
  requestsOfSession?: number;
  /** Each response gives the session a new name; old ones work this much longer. */
  rotates?: { oldOnes: number };
  /** What a page says when the session has ended, instead of leading to the form. */
  farewell?: string;
};

/** Counts what somebody who signs in needs to know of a site. */
export type Members = {
  routes: Routes;
  signIns: () => number;
  failures: () => number;
  anonymous: () => number;
  /** The secrets by which sessions are known. */
  sessions: () => string[];
};

/** A shop whose pages are for those who have signed in by a form with a token against forgery. */
export function shop({
  pages = 3,
  product = page("Product", '<p id="a">x</p><p id="a">y</p><img src="data:,">'),
  requestsOfSession = Number.POSITIVE_INFINITY,
  rotates,
  farewell,
}: Settings = {}): Members {
  const sessions = new Map<string, { left: number; names: string[] }>();
  const tokens = new Set<string>();
  const counts = { signIns: 0, failures: 0, anonymous: 0 };
  const nameOf = ({ headers }: IncomingMessage) => /(?:^|; )session=([^;]+)/.exec(headers.cookie ?? "")?.[1] ?? "";

  const signInForm = (error = ""): string => {
    const token = randomUUID();
    tokens.add(token);
    return page(
      "Sign in",
      `${error}<form method="post" action="/login"><input type="hidden" name="csrf" value="${token}">
      <p><label>E-mail <input id="user" name="user" type="email" autocomplete="username"></label></p>
      <p><label>Password <input id="password" name="password" type="password"></label></p>
      <button type="submit">Sign in</button></form>`,
    );
  };
  const forMembers =
    (content: () => string): Route =>
    (request, response) => {
      const session = sessions.get(nameOf(request));
      if (!session || session.left <= 0) {
        counts.anonymous += 1;
        if (session && farewell !== undefined) return html(response, page("Good-bye", `<p>${farewell}</p>`));
        response.writeHead(303, { location: "/login" }).end();
        return;
      }
      session.left -= 1;
      const cookie = rotates ? { "set-cookie": rotate(session, rotates.oldOnes) } : {};
      response.writeHead(200, { "content-type": "text/html", ...cookie }).end(content());
    };
  const rotate = (session: { names: string[] }, oldOnes: number): string => {
    const name = randomUUID();
    sessions.set(name, session as { left: number; names: string[] });
    session.names.push(name);
    while (session.names.length > oldOnes + 1) sessions.delete(session.names.shift() ?? "");
    return `session=${name}; Path=/; HttpOnly`;
  };
  const links = Array.from({ length: pages }, (_, n) => `<a href="/p/${n}">Product ${n}</a>`).join(" ");
  return {
    sessions: () => [...sessions.keys()],
    ...{ signIns: () => counts.signIns, failures: () => counts.failures, anonymous: () => counts.anonymous },
    routes: {
      "/robots.txt": { status: 404 },
      "/": forMembers(() => page("Shop", `${links} <a href="/logout">Sign out</a>`)),
      "/login": async (request, response) => {
        if (request.method !== "POST") return html(response, signInForm());
        const form = new URLSearchParams(await bodyOf(request));
        if (!tokens.delete(form.get("csrf") ?? "")) return html(response, signInForm("<p>Try again</p>"), 403);
        if (form.get("user") !== USER || form.get("password") !== PASSWORD) {
          counts.failures += 1;
          return html(response, signInForm("<p>Wrong e-mail or password</p>"), 403);
        }
        counts.signIns += 1;
        const name = randomUUID();
        sessions.set(name, { left: requestsOfSession, names: [name] });
        response.writeHead(303, { location: "/", "set-cookie": `session=${name}; Path=/; HttpOnly` }).end();
      },
      "/logout": (request, response) => {
        sessions.delete(nameOf(request));
        response.writeHead(303, { location: "/login" }).end();
      },
      "*": forMembers(() => product),
    },
  };
}

/** The steps of a person at the shop. */
export const shopSteps = (origin: string, password = PASSWORD) => [
  { type: "navigate", url: `${origin}/login` },
  { type: "change", selectors: [["aria/E-mail"], ["#user"]], value: USER },
  { type: "change", selectors: [["#password"]], value: password },
  { type: "click", selectors: [['aria/Sign in[role="button"]'], ["button"]], assertedEvents: [{ type: "navigation" }] },
];

export function html(response: ServerResponse, body: string, status = 200): void {
  response.writeHead(status, { "content-type": "text/html" }).end(body);
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}
