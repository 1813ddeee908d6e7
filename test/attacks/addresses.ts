/** Addresses that no report may visit, in every spelling that some URL parser or resolver understands. */

/** One address of each kind that is not public; add a line. */
const ipv4 = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
];

const ipv6 = [
  "::",
  "::1",
  "0:0:0:0:0:0:0:1",
  "::127.0.0.1",
  "::ffff:0:7f00:1",
  "64:ff9b:1::a00:1",
  "100::1",
  "100:0:0:1::1",
  "1fff:ffff::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2620:4f:8000::1",
  "3ffe::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "8000::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "ff02::1",
];

/** Hosts of URLs that lead to 127.0.0.1 or to another refused address in some parser. */
const tricks: Record<string, string> = {
  "a trailing dot": "127.0.0.1.",
  "full-width digits": "１２７.０.０.１",
  "circled digits": "①②⑦.⓪.⓪.①",
  "an ideographic full stop": "127。0。0。1",
  "percent-encoded digits": "%31%32%37.0.0.1",
  "percent-encoded dots": "127%2e0%2e0%2e1",
  "zeros in front": "0177.0.0.01",
  "many zeros in front": "000000000000177.0.0.1",
  "a soft hyphen": "127.0\u00ad.0.1",
  "a user name that looks like the host": "example.com@127.0.0.1",
  "a user name and a password": "example.com:80@127.0.0.1",
  "a backslash": "127.0.0.1\\@example.com",
  "a tab": "127.0.0\t.1",
  "a newline": "127.0.\n0.1",
  localhost: "localhost",
  "localhost in capitals and with a dot": "LOCALHOST.",
  "localhost in full-width letters": "ｌｏｃａｌｈｏｓｔ",
  "a zone": "[fe80::1%25eth0]",
};

const bytesOf = (address: string): number[] => address.split(".").map(Number);
const hex = (byte = 0): string => byte.toString(16).padStart(2, "0");

/** The spellings of an IPv4 address. */
function spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const words = `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`;
  return [
    address,
    String(number),
    `0x${number.toString(16)}`,
    `0${number.toString(8)}`,
    [a, b, c, d].map((byte) => `0x${hex(byte)}`).join("."),
    [a, b, c, d].map((byte) => `0${byte.toString(8)}`).join("."),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `[::ffff:${address}]`,
    `[::ffff:${words}]`,
    `[0:0:0:0:0:FFFF:${words}]`,
    `[::${words}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${words}]`,
    `[2002:${words}::1]`,
    `[2001:0:${words}::1]`,
  ];
}

/** Hosts as in a URL, each with a name for its test. */
export const refusedHosts: { name: string; host: string }[] = [
  ...ipv4.flatMap(spellings).map((host) => ({ name: host, host })),
  ...ipv6.map((address) => ({ name: `[${address}]`, host: `[${address}]` })),
  ...Object.entries(tricks).map(([name, host]) => ({ name, host })),
];

/** Addresses next to the refused networks: these are public. */
export const publicAddresses: string[] = [
  "1.0.0.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "168.63.129.15",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.1",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2003::1",
  "2606:4700::1111",
  "2a00:1450:4001:80b::200e",
];
