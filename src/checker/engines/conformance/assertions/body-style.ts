import type { Watcher } from "./open.ts";
export const watchBodyStyles: Watcher = () => ({});
