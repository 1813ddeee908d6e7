import type { FuzzTarget } from "../target.ts";
import { charset } from "./charset.ts";
import { extracts } from "./extracts.ts";
import { jsonBodies } from "./json-bodies.ts";
import { pageLinks } from "./page-links.ts";
import { robots } from "./robots.ts";
import { serverEvents } from "./server-events.ts";
import { urlList } from "./url-list.ts";
import { urlScope } from "./url-scope.ts";

export const targets: readonly FuzzTarget[] = [
  urlScope,
  robots,
  urlList,
  pageLinks,
  charset,
  extracts,
  serverEvents,
  jsonBodies,
];
