/** Code that reads what strangers write, and what must hold for every input. */
export type FuzzTarget = {
  name: string;
  /** Ordinary inputs, to begin with. */
  seeds: readonly (string | Uint8Array)[];
  /** What has a meaning in such inputs. */
  words: readonly string[];
  /** The largest input in bytes. */
  maxLength?: number;
  /** @throws when the input broke what must hold */
  run(input: Buffer): void | Promise<void>;
};
