import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { withReconnect } from "../database/connection/session.ts";
import { writeNotices } from "../database/crawl/notices.ts";
import {
  beginSession,
  changeSession,
  HOLD_SECONDS,
  holdSession,
  lockSession,
  prolongHold,
  readSession,
  releaseSession,
  type SessionRow,
} from "../database/reports/site-sessions.ts";
import type { Database } from "../database/tables.ts";
import type { Encryptor } from "../domain/accounts/encryption.ts";
import { PageError } from "../domain/failure.ts";
import {
  changeSince,
  type SessionStore,
  type SignedIn,
  SignInFailure,
  type StoredSession,
  signInFailureText,
  sizeOf,
  type TryOut,
  withChange,
} from "../domain/sign-in/session.ts";
import type { Logger } from "../telemetry/log.ts";
import { pause } from "../time/retry.ts";

type Options = {
  db: Kysely<Database>;
  reportId: string;
  /** With the key that only the report's Jobs have. */
  encryptor: Encryptor;
  /** Signs in. @throws SignInFailure when nobody can */
  signIn: (signal: AbortSignal) => Promise<SignedIn>;
  /** How often it is tried until somebody can sign in. */
  maxTries: number;
  /** Between two sign-ins, the first of which succeeded: a one-time code is taken once. */
  pauseAfterMs: (now: Date) => number;
  /** Who tries, for messages. */
  program: string;
  signal: AbortSignal;
  log: Logger;
};

const POLL_MS = 250;
/** After a try that failed; twice as long after each further one. */
const PAUSE_MS = 3_000;
const MAX_PAUSE_MS = 60_000;
const MAX_COOKIES = 900_000;

/** The session of a report in the database. Its rows are locked for single statements only, never while somebody signs in. */
export function createSessionStore(options: Options): SessionStore {
  const { db, reportId, encryptor, maxTries, signal, log } = options;
  const retrying = <T>(operation: () => Promise<T>): Promise<T> => withReconnect(operation, { signal });
  const locked = <T>(work: (trx: Kysely<Database>) => Promise<T>): Promise<T> =>
    retrying(() => db.transaction().execute(work));
  const { pack, unpack } = packing(encryptor, reportId);

  /** Signs in, as long as no other program has taken the right. @returns undefined when another try is due */
  const begin = async (holder: string, before: { tries: number; generation: number }, tryOut: TryOut) => {
    const lost = new AbortController();
    const beat = setInterval(
      () => {
        prolongHold(db, reportId, holder).then(
          (holds) => holds || lost.abort(),
          () => {},
        );
      },
      (HOLD_SECONDS * 1_000) / 4,
    );
    const release = (end: Parameters<typeof releaseSession>[3]) =>
      withReconnect(() => releaseSession(db, reportId, holder, end));
    try {
      const isOver = AbortSignal.any([signal, lost.signal]);
      const { signedIn, endings } = await tryOut(await options.signIn(isOver), async () => {
        await pause(options.pauseAfterMs(new Date()), isOver);
        return options.signIn(isOver);
      });
      const pauseMs = options.pauseAfterMs(new Date());
      return await locked(async (trx) => {
        const row = await beginSession(trx, reportId, holder, { ...pack(signedIn), endings, pauseMs });
        const notices = endings.map((url) => ({ code: "ends_session", url, howMany: 1, detail: "" }) as const);
        if (row) await writeNotices(trx, reportId, notices);
        return row && unpack(row);
      });
    } catch (error) {
      if (lost.signal.aborted && !signal.aborted) return undefined;
      if (signal.aborted || !(error instanceof SignInFailure)) {
        await release({ failure: null, tries: before.tries - 1, pauseMs: 0 });
        throw error;
      }
      const { mayPass, message } = error;
      const failed = { ...before, maxTries, mayPass, program: options.program, now: new Date() };
      const failure = signInFailureText(message, failed).slice(0, 4_000);
      log.warn("nobody could sign in", { failure });
      const isLast = !mayPass || before.tries >= maxTries;
      const pauseMs = isLast ? 0 : Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (before.tries - 1));
      await release({ failure, tries: mayPass ? before.tries : maxTries, pauseMs });
      return undefined;
    } finally {
      clearInterval(beat);
    }
  };

  /** Takes the right to sign in. @returns the session that there is; undefined while another program has the right */
  const take = async (trx: Kysely<Database>, holder: string, ended: number) => {
    const row = await lockSession(trx, reportId);
    if (!row) throw new PageError("sign_in_failed", "The report was deleted.");
    if (row.generation > ended) return row;
    const { tries, generation, failure } = row;
    if (row.holder === holder) return { tries, generation, isOurs: true };
    // A program that has it may still succeed.
    if (row.waits) return undefined;
    const reason = failure ?? `Nobody could sign in: each of ${tries} programs that tried was ended meanwhile.`;
    if (tries >= maxTries) throw new PageError("sign_in_failed", reason);
    await holdSession(trx, reportId, holder);
    return { tries: tries + 1, generation, isOurs: true };
  };

  return {
    read: async (known) => {
      const row = await retrying(() => readSession(db, reportId, known));
      return row && unpack(row);
    },
    renew: async (ended, tryOut = async (signedIn) => ({ signedIn, endings: [] })) => {
      const holder = randomUUID();
      for (let gone = ended; ; ) {
        const found = await locked((trx) => take(trx, holder, gone));
        if (found && !("isOurs" in found)) {
          const session = unpack(found);
          if (session) return session;
          // It was encrypted with another key.
          gone = found.generation;
          continue;
        }
        const begun = found && (await begin(holder, found, tryOut));
        if (begun) return begun;
        await pause(POLL_MS, signal);
        signal.throwIfAborted();
      }
    },
    keep: (known, change) =>
      locked(async (trx) => {
        const row = await lockSession(trx, reportId);
        const session = row && unpack(row);
        if (session?.generation !== known.generation) return undefined;
        const taken = changeSince(known, session, change);
        const { cookies, storage } = pack(withChange(session, taken));
        if (sizeOf(taken) === 0 || cookies.length > MAX_COOKIES) return undefined;
        const hasItems = sizeOf({ ...taken, cookies: [] }) > 0;
        await changeSession(trx, reportId, {
          cookies: taken.cookies.length > 0 ? cookies : undefined,
          storage: hasItems && storage !== null ? storage : undefined,
        });
        return sizeOf(taken) === sizeOf(change) ? session.revision + 1 : undefined;
      }),
  };
}

/** Encryption is bound to the report: a session that is moved to another row cannot be decrypted there. */
function packing(encryptor: Encryptor, reportId: string) {
  const purpose = (what: string): string => `site session ${what} ${reportId}`;
  return {
    pack: ({ cookies, storage }: SignedIn) => ({
      cookies: encryptor.encrypt(JSON.stringify(cookies), purpose("cookies")),
      storage: storage ? encryptor.encrypt(JSON.stringify(storage), purpose("storage")) : null,
    }),
    unpack: (row: SessionRow): StoredSession | undefined => {
      const cookies = row.cookies && encryptor.decrypt(row.cookies, purpose("cookies"));
      const storage = row.storage && encryptor.decrypt(row.storage, purpose("storage"));
      if (!cookies || storage === undefined) return undefined;
      return {
        ...{ generation: row.generation, revision: row.revision, endedBy: row.ended_by },
        cookies: JSON.parse(cookies),
        storage: storage === null ? undefined : JSON.parse(storage),
      };
    },
  };
}
