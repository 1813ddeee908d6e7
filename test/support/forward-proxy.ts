import { createServer, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export type ForwardProxy = {
  /** As HTTP_PROXY has it. */
  url: string;
  /** What was asked for: `GET http://…` or `CONNECT host:port`, in the order of arrival. */
  asked: string[];
  close(): Promise<void>;
};

/** A proxy that takes every name for 127.0.0.1, as one that knows more names than this machine. @param user with its password: `user:password` */
export async function startForwardProxy(user?: string): Promise<ForwardProxy> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const wanted = user && `Basic ${Buffer.from(user).toString("base64")}`;
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (wanted && incoming.headers["proxy-authorization"] !== wanted) return void outgoing.writeHead(407).end();
    const { port, pathname, search } = new URL(incoming.url ?? "");
    const { "proxy-authorization": _, ...headers } = incoming.headers;
    const upstream = request({ host: "127.0.0.1", port, path: pathname + search, method: incoming.method, headers });
    upstream.once("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    upstream.once("error", () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("connect", (incoming, client: Duplex, head: Buffer) => {
    asked.push(`CONNECT ${incoming.url}`);
    client.on("error", () => {});
    if (wanted && incoming.headers["proxy-authorization"] !== wanted)
      return void client.end("HTTP/1.1 407 Give me hunter2\r\n\r\n");
    const upstream = connect(Number(incoming.url?.split(":").at(-1)), "127.0.0.1");
    sockets.add(upstream);
    upstream.on("error", () => client.destroy());
    upstream.once("connect", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    client.once("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://${user ? `${user}@` : ""}127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
