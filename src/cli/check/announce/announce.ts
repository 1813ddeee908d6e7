import { UsageError } from "../../../domain/errors.ts";
import { readRegularFile } from "../../../files/read-regular-file.ts";
import type { Announcement } from "./announcement.ts";
import { type Forge, type ForgeComment, type ForgeName, type ForgeRequest, forgeOf } from "./forge.ts";

/** Announces a result. @returns what could not be done, as a sentence; undefined when all was done */
export type Announce = (announcement: Announcement) => Promise<string | undefined>;

/** Sends a request. @throws an Error that says what was answered */
export type Send = (request: ForgeRequest, headers: Forge["headers"]) => Promise<unknown>;

const TIMEOUT_MS = 20_000;
/** Of an answer that refuses, in a message. */
const MAX_ANSWER = 200;
/** A discussion of more pages of comments than this gets a new one. */
const MAX_PAGES = 20;

/**
 * Sets the commit's status, and writes one comment on the pull request, which the next run changes: only a comment of
 * whoever has the token, so that nobody else's text is lost.
 */
export function announcer(forge: Forge, send: Send = sendOnce): Announce {
  const ask = (request: ForgeRequest) => send(request, forge.headers);

  async function comment(marker: string, text: string): Promise<void> {
    const { comments } = forge;
    if (!comments) return;
    const body = `${marker}\n${text}`;
    const cut =
      body.length <= comments.maxLength
        ? body
        : `${body.slice(0, comments.maxLength)}\n\n(The rest is left out: it is too long for a comment.)`;
    const own = await findOwn(comments, marker);
    await ask(own?.id == null ? comments.create(cut) : comments.update(own.id, cut));
  }

  async function findOwn(comments: NonNullable<Forge["comments"]>, marker: string): Promise<ForgeComment | undefined> {
    const self = comments.self && (await ask(comments.self));
    let page: string | undefined;
    for (let number = 1; number <= MAX_PAGES; number += 1) {
      const { comments: found, next } = comments.read(await ask(comments.list(page)), { self, page });
      const own = found.find(({ body, isOwn }) => isOwn && body.startsWith(marker));
      if (own || next === undefined) return own;
      page = next;
    }
    return undefined;
  }

  return async ({ state, target, description, markdown }) => {
    const name = `site-validator: ${target}`;
    const faults = await Promise.all([
      ask(forge.status({ state, name, description })).then(
        () => undefined,
        (error: Error) => `The commit's status could not be set: ${error.message}`,
      ),
      comment(`<!-- ${name.replaceAll("--", "-%2D").replaceAll(">", "%3E")} -->`, markdown).then(
        () => undefined,
        (error: Error) => `The comment could not be written: ${error.message}`,
      ),
    ]);
    return faults.filter((fault) => fault !== undefined).join("\n") || undefined;
  };
}

/** Reads where a pipeline's result is announced. @throws UsageError that says what is missing */
export async function announceTo(name: ForgeName, env: NodeJS.ProcessEnv): Promise<Announce> {
  const file = name === "github" ? env.GITHUB_EVENT_PATH : undefined;
  return announcer(forgeOf(name, env, file ? await readEvent(file) : undefined));
}

async function readEvent(file: string): Promise<unknown> {
  try {
    return JSON.parse((await readRegularFile(file)).toString("utf8"));
  } catch (error) {
    throw new UsageError(
      `GITHUB_EVENT_PATH names ${JSON.stringify(file)}, which cannot be read: ${(error as Error).message}.`,
    );
  }
}

/** Follows no redirect: the token is for the address that the pipeline names. */
async function sendOnce({ method, url, body }: ForgeRequest, headers: Forge["headers"]): Promise<unknown> {
  const { host } = new URL(url);
  const response = await fetch(url, {
    method,
    headers: { ...headers, "user-agent": "site-validator", ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`${host} did not answer (${cause}).`);
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${host} answered ${response.status}: ${text.slice(0, MAX_ANSWER)}`);
  return text === "" ? undefined : JSON.parse(text);
}
