// The package has no types of its own.
declare module "html-encoding-sniffer" {
  type Options = {
    xml?: boolean;
    transportLayerEncodingLabel?: string;
    defaultEncoding?: string;
    maxPrescanBytes?: number;
  };
  export default function htmlEncodingSniffer(bytes: Uint8Array, options?: Options): string;
}
