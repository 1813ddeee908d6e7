import type { Watcher } from "./open.ts";
export const watchCss: Watcher = () => ({});
