import type { Dispatcher } from "undici";

/** Where an API server is, and what each request to it is sent with. */
export type ApiServerConfig = {
  /** Its address, without a slash at the end. */
  server: string;
  /**
   * The headers and the connection for a request to an address of it. They are asked for before each request, because
   * tokens and certificates are rotated.
   *
   * @param options.reuse false: a new connection
   */
  credentials: (url: string, options: { reuse: boolean }) => Promise<Credentials>;
  /** Told the Date header of each response. */
  onDate?: (date: string) => void;
};

export type Credentials = { headers: Record<string, string>; dispatcher: Dispatcher | undefined };
