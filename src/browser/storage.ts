import type { SiteStorage } from "../domain/sign-in/session.ts";

/**
 * What scripts have stored: read after a sign-in, and given to the pages of the session before their own scripts run. Both
 * functions run in a page, so they must not use anything outside themselves.
 */

/**
 * Reads what the scripts of the document's origin have stored. What cannot be written as JSON, such as a key that must not
 * leave the browser, is left out.
 */
export async function readStorage(): Promise<SiteStorage> {
  const itemsOf = (storage: Storage) =>
    Object.keys(storage).map((name) => [name, storage.getItem(name) ?? ""] as [string, string]);
  const packObject = (value: object): unknown => {
    if (Array.isArray(value)) return value.map(pack);
    if (value instanceof Date) return { is: "date", of: value.getTime() };
    if (value instanceof Map) return { is: "map", of: [...value].map((entry) => entry.map(pack)) };
    if (value instanceof Set) return { is: "set", of: [...value].map(pack) };
    if (value instanceof ArrayBuffer) return { is: "ArrayBuffer", of: [...new Uint8Array(value)] };
    if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return { is: value.constructor.name, of: [...bytes] };
    }
    if (Object.prototype.toString.call(value) !== "[object Object]") throw new Error("not to be copied");
    return { is: "object", of: Object.entries(value).map(([name, one]) => [name, pack(one)]) };
  };
  const pack = (value: unknown): unknown => {
    if (typeof value === "object" && value !== null) return packObject(value);
    if (value === undefined) return { is: "undefined" };
    const isPlain = typeof value !== "bigint" && (typeof value !== "number" || Number.isFinite(value));
    return isPlain ? value : { is: typeof value, of: String(value) };
  };
  const settled = <Result>(request: IDBRequest<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const readStore = async (store: IDBObjectStore) => {
    const indexes = [...store.indexNames].map((name) => {
      const { keyPath, unique, multiEntry } = store.index(name);
      return { name, keyPath, unique, multiEntry };
    });
    const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
    const records = keys.flatMap((key, index) => {
      try {
        return [{ key: pack(key), value: pack(values[index]) }];
      } catch {
        return [];
      }
    });
    return { name: store.name, keyPath: store.keyPath, autoIncrement: store.autoIncrement, indexes, records };
  };
  const readDatabase = async ({ name = "", version = 1 }: IDBDatabaseInfo) => {
    const opened = await settled(indexedDB.open(name));
    try {
      const names = [...opened.objectStoreNames];
      const stores = names.length === 0 ? [] : names.map((one) => opened.transaction(names).objectStore(one));
      return [{ name, version, stores: await Promise.all(stores.map(readStore)) }];
    } finally {
      opened.close();
    }
  };
  const known = await indexedDB.databases().catch(() => []);
  const databases = await Promise.all(known.map((one) => readDatabase(one).catch(() => [])));
  return {
    origin: location.origin,
    local: itemsOf(localStorage),
    session: itemsOf(sessionStorage),
    databases: databases.flat(),
  };
}

/** A script that stores this for the pages of its origin, unless they have stored something themselves. */
export function storageScript(storage: SiteStorage): string {
  return `(${giveStorage})(${JSON.stringify(storage).replaceAll("<", "\\u003c")});`;
}

function giveStorage({ origin, local, session, databases }: SiteStorage): void {
  if (location.origin !== origin) return;
  const give = (storage: Storage, items: SiteStorage["local"]): void => {
    for (const [name, value] of items) if (storage.getItem(name) === null) storage.setItem(name, value);
  };
  type Packed = { is: string; of: never };
  const unpack = (packed: unknown): unknown => {
    if (packed === null || typeof packed !== "object") return packed;
    if (Array.isArray(packed)) return packed.map(unpack);
    const { is, of } = packed as Packed;
    const list = () => (of as unknown[]).map(unpack);
    switch (is) {
      case "undefined":
        return undefined;
      case "number":
        return Number(of);
      case "bigint":
        return BigInt(of);
      case "date":
        return new Date(of);
      case "map":
        return new Map(list() as [unknown, unknown][]);
      case "set":
        return new Set(list());
      case "object":
        return Object.fromEntries(list() as [string, unknown][]);
      default: {
        const { buffer } = new Uint8Array(of);
        const View = Reflect.get(globalThis, is) as new (bytes: ArrayBufferLike) => unknown;
        return is === "ArrayBuffer" ? buffer : new View(buffer);
      }
    }
  };
  give(localStorage, local);
  give(sessionStorage, session);
  // What opens a database later waits until this has ended.
  for (const { name, version, stores } of databases) {
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion > 0) return;
      for (const { name: store, keyPath, autoIncrement, indexes, records } of stores) {
        const made = request.result.createObjectStore(store, { keyPath, autoIncrement });
        for (const index of indexes) made.createIndex(index.name, index.keyPath, index);
        for (const { key, value } of records)
          made.put(unpack(value), keyPath === null ? (unpack(key) as IDBValidKey) : undefined);
      }
    };
    request.onsuccess = () => request.result.close();
    request.onerror = (event) => event.preventDefault();
  }
}
