import type { Kysely, Transaction } from "kysely";
import { insertEntry } from "../database/audit/entries.ts";
import { type DeclaredReceiver, followDeclared, insertDeclared, listDeclared } from "../database/receivers/declared.ts";
import { deleteReceiver } from "../database/receivers/receivers.ts";
import type { Database } from "../database/tables.ts";
import type { Encryptor } from "../domain/accounts/encryption.ts";
import { hidden } from "../domain/audit/changes.ts";
import { declaredEntry } from "../domain/audit/entry.ts";

/** The schedule that declares receivers, and its resource, `namespace/name`. */
export type Declaring = { accountId: string; scheduleId: string; by: string };

/**
 * Lets the stored receivers of a schedule follow what it declares, each change with an entry in the audit log; repeating it
 * has no effect. Of addresses and secrets the log says that they have changed, and not how.
 *
 * @returns those that were stored before and stay
 * @param declared.names those of all that it declares: one whose Secret cannot be read now keeps what is stored
 */
export async function followDeclaredReceivers(
  db: Kysely<Database>,
  encryptor: Encryptor,
  declaring: Declaring,
  declared: { names: ReadonlySet<string>; readable: readonly DeclaredReceiver[] },
  now: Date,
): Promise<Stored[]> {
  const { accountId, scheduleId } = declaring;
  return db.transaction().execute(async (trx) => {
    const kinds = new Map(declared.readable.map(({ name, kind }) => [name, kind]));
    const kept = await deleteOthers(
      trx,
      declaring,
      now,
      ({ name, kind }) => declared.names.has(name) && (kinds.get(name) ?? kind) === kind,
    );
    for (const receiver of declared.readable) {
      const row = kept.find(({ name }) => name === receiver.name);
      if (!row) {
        const id = await insertDeclared(trx, encryptor, { accountId, scheduleId }, receiver, now);
        await noteReceiver(trx, declaring, now, "declared a receiver", { id, name: receiver.name });
        continue;
      }
      const changed = await followDeclared(trx, encryptor, row, receiver, now);
      if (changed.length > 0) await noteReceiver(trx, declaring, now, "changed a receiver", row, changed);
    }
    return kept;
  });
}

/** Deletes all receivers of a schedule that declares none any more. */
export async function endDeclaredReceivers(db: Kysely<Database>, declaring: Declaring, now: Date): Promise<void> {
  await db.transaction().execute((trx) => deleteOthers(trx, declaring, now, () => false));
}

type Stored = Awaited<ReturnType<typeof listDeclared>>[number];

async function deleteOthers(
  trx: Transaction<Database>,
  declaring: Declaring,
  now: Date,
  stays: (row: Stored) => boolean,
): Promise<Stored[]> {
  const stored = await listDeclared(trx, declaring.scheduleId);
  for (const row of stored.filter((one) => !stays(one))) {
    await deleteReceiver(trx, row.id);
    await noteReceiver(trx, declaring, now, "deleted a receiver", row);
  }
  return stored.filter(stays);
}

/** Notes what became of a receiver that is declared. */
export async function noteReceiver(
  trx: Kysely<Database>,
  { accountId, by }: Pick<Declaring, "accountId" | "by">,
  now: Date,
  verb: string,
  { id, name }: { id: string; name: string },
  changed: readonly string[] = [],
): Promise<void> {
  const target = { type: "receiver", id, name, path: `/receivers/${id}`, siteUrl: null };
  const changes = changed.map(hidden);
  const did = { by, operation: "declareReceiver", verb, area: "receivers" } as const;
  await insertEntry(trx, declaredEntry(did, { accountId, at: now, target, changes }));
}
