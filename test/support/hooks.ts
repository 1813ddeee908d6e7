import { stopTestServer } from "./database.ts";

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopTestServer();
  },
};
