/** Names that mean this machine or its network wherever they are looked up. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i;

/** First address and number of fixed bits of each range that is not of the public internet. */
const PRIVATE_RANGES: readonly (readonly [address: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
];

/** Whether a host of a URL, or an address, is not of the public internet. Names are not looked up. */
export function isPrivateAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  if (address.includes(':')) return isPrivateV6(address);
  const number = v4Number(address);
  if (number === undefined) return PRIVATE_NAME.test(address);
  return PRIVATE_RANGES.some(([first, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(number / size) === Math.floor((v4Number(first) ?? 0) / size);
  });
}

/** Looks up the addresses of a host name; undefined where the runtime has no way to. */
export function systemLookup(): ((name: string) => Promise<readonly string[]>) | undefined {
  // Not imported: browsers and workers have neither.
  const dns = globalThis.process?.getBuiltinModule?.('node:dns/promises');
  return dns && (async (name) => (await dns.lookup(name, { all: true })).map(({ address }) => address));
}

function isPrivateV6(address: string): boolean {
  const [withoutZone = ''] = address.split('%', 1);
  if (!URL.canParse(`http://[${withoutZone}]`)) return true;
  const canonical = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
  // An IPv4 address written as IPv6, also for a translator (NAT64).
  const [, high, low] = /^(?:::ffff|64:ff9b:):([\da-f]+):([\da-f]+)$/.exec(canonical) ?? [];
  if (high !== undefined && low !== undefined) {
    const number = Number.parseInt(high, 16) * 2 ** 16 + Number.parseInt(low, 16);
    return isPrivateAddress([24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.'));
  }
  return /^(::|::1|f[cd].*|fe[89ab].*|ff.*)$/.test(canonical);
}

function v4Number(address: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1);
  return parts?.reduce((number, part) => number * 256 + Number(part), 0);
}
