import type { List, Resource, ResourceType } from "../../api/documents.ts";
import { searchOf } from "../api.ts";

/** Reads a document of the API by its path below `/api/v1`, with its query. */
export type Source = { get<Document>(path: string): Promise<Document> };

/** The first entries of a list, and how many it has. */
export type First<Type extends ResourceType> = { data: readonly Resource<Type>[]; total: number };

/** @param most how many entries are read */
export async function readFirst<Type extends ResourceType>(
  source: Source,
  path: string,
  query: Readonly<Record<string, string>>,
  most: number,
): Promise<First<Type>> {
  const data: Resource<Type>[] = [];
  for (let number = 1; ; number += 1) {
    const page = { ...query, "page[size]": String(Math.min(100, most)), "page[number]": String(number) };
    const found = await source.get<List<Type>>(`${path}?${searchOf(page)}`);
    data.push(...found.data);
    if (!found.links.next || data.length >= most) return { data: data.slice(0, most), total: found.meta.total };
  }
}
