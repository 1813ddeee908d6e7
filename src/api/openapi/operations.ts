import { accountOperations } from "./account-operations.ts";
import type { Operation } from "./operation.ts";
import { reportOperations } from "./report-operations.ts";

/** All operations, by method and path as in the routes: `GET /reports`. */
export const operations: Readonly<Record<string, Operation>> = { ...reportOperations, ...accountOperations };
