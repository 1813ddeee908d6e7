import type { List, Resource, ResourceType } from "../../api/documents.ts";
import type { Api } from "../api.ts";

/** The first entries of a list, and how many it has. */
export type First<Type extends ResourceType> = { data: readonly Resource<Type>[]; total: number };

/** @param most how many entries are read */
export async function readFirst<Type extends ResourceType>(
  api: Pick<Api, "get">,
  path: string,
  query: Readonly<Record<string, string>>,
  most: number,
): Promise<First<Type>> {
  const data: Resource<Type>[] = [];
  for (let number = 1; ; number += 1) {
    const page = { ...query, "page[size]": String(Math.min(100, most)), "page[number]": String(number) };
    const found = await api.get<List<Type>>(path, page);
    data.push(...found.data);
    if (!found.links.next || data.length >= most) return { data: data.slice(0, most), total: found.meta.total };
  }
}
