import { searchOf } from "../api.ts";
import type { PageContext } from "../page.ts";

/** Reads what the file contains from the API, by paths below `/api/v1`, with their queries. */
export type Source = {
  /** A document. */
  get<Document>(path: string): Promise<Document>;
  /** A file, in base64. */
  base64(path: string): Promise<string>;
};

/** What a report's parts are rendered from when they stand in one file, and what was left out of it. */
export type FileContext = {
  context: PageContext;
  /** Lets links lead to a part of the file, in place of a page. The longest path that an address begins with counts. */
  addAnchor: (path: string, anchor: string) => void;
  /** How many pictures did not fit. */
  leftOut: () => number;
};

/**
 * @param options.mostBytes of all pictures together, as they are in the file
 * @param onRead is told of each document before it is rendered
 */
export function createFileContext(
  source: Source,
  reportId: string,
  { now, mostBytes, guides }: { now: Date; mostBytes: number; guides: PageContext["guides"] },
  onRead: (document: unknown) => void = () => {},
): FileContext {
  const root = `/reports/${reportId}`;
  const anchors = new Map([[root, "content"]]);
  const pictures = new Map<string, string>();
  let bytes = 0;
  const leftOut = new Set<string>();

  /** Reads the pictures of the elements in a document, which are shown in what is rendered of it. */
  async function readPictures(document: unknown): Promise<void> {
    for (const url of picturesIn(document)) {
      const path = url.slice(url.indexOf(root));
      if (!url.includes(root) || pictures.has(path) || bytes >= mostBytes) continue;
      pictures.set(path, await source.base64(path));
    }
  }

  const context: PageContext = {
    api: {
      async get<Document>(path: string, query = {}) {
        const search = searchOf(query).toString();
        const document = await source.get<Document>(search === "" ? path : `${path}?${search}`);
        await readPictures(document);
        onRead(document);
        return document;
      },
      ...onlyRead,
    },
    params: { report_id: reportId },
    query: new URLSearchParams(),
    reader: null,
    home: false,
    guides,
    href: (path) => `#${anchorOf(path, anchors)}`,
    picture: (path) => {
      const data = pictures.get(path.replace("/pages/", "/web_pages/"));
      const address = data && `data:image/webp;base64,${data}`;
      if (address === undefined || bytes + address.length > mostBytes) {
        leftOut.add(path);
        return undefined;
      }
      bytes += address.length;
      return address;
    },
    path: root,
    now,
  };
  return { context, addAnchor: (path, anchor) => anchors.set(`${root}${path}`, anchor), leftOut: () => leftOut.size };
}

/** A file has nothing that could be changed. */
const onlyRead = {
  text: notRead,
  post: notRead,
  patch: notRead,
  delete: notRead,
};

function notRead(): never {
  throw new Error("A report's file is made of documents that are read.");
}

/** @throws Error for a path that does not begin with the report's */
function anchorOf(path: string, anchors: ReadonlyMap<string, string>): string {
  const known = anchors.get(path);
  if (known !== undefined) return known;
  if (!path.includes("/")) throw new Error("A link of a report's file leads out of the report.");
  return anchorOf(path.slice(0, path.lastIndexOf("/")), anchors);
}

/** The addresses of the elements' pictures in a list of findings or components. */
function picturesIn(document: unknown): string[] {
  const { data } = document as { data: unknown };
  if (!Array.isArray(data)) return [];
  return data.flatMap(({ attributes }) => attributes.element?.picture?.url ?? []);
}
