import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CACHE } from "./cache.ts";

const ENTRY = fileURLToPath(new URL("../../bin/run.js", import.meta.url));

/** An edit as an answer has it. */
export type TextEdit = { line: number; column: number; old: string; new: string };

/** The answer of a tool, as its client sees it. */
export type ToolAnswer = {
  text: string;
  isError: boolean;
  /** What is quoted in it. */
  entries: (Record<string, unknown> & { fix?: { edits?: TextEdit[]; removes?: number } })[];
};

export type ToolClient = {
  client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
};

/** A client of the SDK, connected to a server of ours. */
export async function connectTools(transport: Transport): Promise<ToolClient> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  return {
    client,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      const [content] = result.content as { type: string; text: string }[];
      const text = content?.text ?? "";
      const quoted = /^```jsonl\n(.*?)\n```$/ms.exec(text)?.[1];
      const entries = quoted?.split("\n").map((line) => JSON.parse(line)) ?? [];
      return { text, isError: result.isError === true, entries };
    },
    close: () => client.close(),
  };
}

/** The tools of a service, with a token. @param url of the service */
export function connectHttpTools(url: string, token: string): Promise<ToolClient> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  return connectTools(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as Transport);
}

/** `site-validator mcp` over stdio, in a folder. */
export async function startStdioTools(args: string[], cwd: string): Promise<ToolClient & { stderr(): string }> {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, CACHE_DIR: CACHE };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ENTRY, "mcp", ...args],
    env,
    cwd,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  return { ...(await connectTools(transport)), stderr: () => stderr };
}
