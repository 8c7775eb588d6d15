import { X509Certificate } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { pageFiles } from '@hawser/loopback-page/page-files';
import { type PageHost, type PageNetwork, servePage } from '@hawser/loopback-page/page-host';
import { LINK_LASTS_MS, PageLogins } from '@hawser/loopback-page/page-logins';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { PageDoor } from '../../../control/host.ts';
import type { OpenedPage, OpenPageOptions, PageLogin, ReviewPages, ServedPage } from '../../../control/pages.ts';
import { readRegularFile } from '../../../regular-file.ts';
import { browserInWords } from './browser-in-words.ts';
import { CHANNEL_PATH, SUBPROTOCOL } from './page-address.ts';

/** One address at which the page is served. */
interface Serving {
  readonly host: PageHost;
  readonly logins: PageLogins;
  readonly network: PageNetwork | undefined;
  readonly options: OpenPageOptions;
  pages: number;
}

/** Serves the review in the browser, on this machine and, if the user wants it, to other machines. */
export class WebPages implements ReviewPages {
  readonly #door: PageDoor;
  /** At most one for this machine and one for others. */
  #serving: readonly Serving[] = [];
  /** Those that are asked for at once are opened one after the other. */
  #opening: Promise<unknown> = Promise.resolve();

  constructor(door: PageDoor) {
    this.#door = door;
  }

  open(options: OpenPageOptions): Promise<OpenedPage> {
    const opened = this.#opening.then(() => this.#open(options));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  async #open(options: OpenPageOptions): Promise<OpenedPage> {
    const isForOthers = options.host !== undefined;
    let serving = this.#serving.find(({ network }) => (network !== undefined) === isForOthers);
    if (serving !== undefined && !isServedAs(serving, options)) {
      await this.#close(serving);
      serving = undefined;
    }
    serving ??= await this.#serve(options);
    const link = `${serving.host.url}#${serving.logins.newLink(options.hours * 3_600_000)}`;
    return { ...servedOf(serving), link, linkExpires: new Date(Date.now() + LINK_LASTS_MS).toISOString() };
  }

  served(): readonly ServedPage[] {
    return this.#serving.map(servedOf);
  }

  logins(): readonly PageLogin[] {
    const timeOf = (time: number) => new Date(time).toISOString();
    return this.#serving.flatMap(({ logins }) =>
      logins.list().map(({ since, expires, lastUsed, browser, ...login }) => ({
        ...login,
        browser: browserInWords(browser),
        since: timeOf(since),
        expires: timeOf(expires),
        lastUsed: timeOf(lastUsed),
      })),
    );
  }

  revoke(id: string): boolean {
    return this.#serving.some(({ logins }) => logins.revoke(id));
  }

  async close(): Promise<void> {
    await this.#opening;
    await Promise.all(this.#serving.map((serving) => this.#close(serving)));
  }

  async #serve(options: OpenPageOptions): Promise<Serving> {
    const network = await networkOf(options);
    const encryption = network?.tls === undefined ? 'none' : 'required';
    const logins = new PageLogins({ name: SUBPROTOCOL, encryption });
    const ends = new Map<string, Set<() => void>>();
    logins.onEnd((id) => {
      for (const end of ends.get(id) ?? []) end();
    });
    const host = await servePage({
      name: SUBPROTOCOL,
      channelPath: CHANNEL_PATH,
      files: pageFiles('review'),
      admission: logins,
      port: options.port ?? 0,
      network,
      accept: (connection, { id, address }) => {
        const end = () => void connection.close('Logged out');
        ends.set(id, (ends.get(id) ?? new Set()).add(end));
        // A timer can't wait longer than this.
        const left = Math.min(logins.expiryOf(id) - Date.now(), 2 ** 31 - 1);
        const timer = setTimeout(() => logins.list(), left).unref();
        serving.pages += 1;
        this.#door.changed();
        const name = network === undefined ? 'the browser' : `the browser at ${address}`;
        this.#door.accept(connection, {
          kind: 'page',
          name,
          closed: () => {
            clearTimeout(timer);
            ends.get(id)?.delete(end);
            serving.pages -= 1;
            this.#door.changed();
          },
        });
      },
      onError: () => {},
    }).catch((error: NodeJS.ErrnoException) => {
      throw new Error(whyNot(error, options), { cause: error });
    });
    const serving: Serving = { host, logins, network, options, pages: 0 };
    this.#serving = [...this.#serving, serving];
    this.#door.changed();
    return serving;
  }

  async #close(serving: Serving): Promise<void> {
    this.#serving = this.#serving.filter((each) => each !== serving);
    await serving.host.close();
    this.#door.changed();
  }
}

const MAX_PEM_BYTES = 1024 * 1024;

function servedOf({ host, network, pages }: Serving): ServedPage {
  const { url, port } = host;
  return { url, port, isOpenToNetwork: network !== undefined, isEncrypted: network?.tls !== undefined, pages };
}

function isServedAs({ host, options }: Serving, wanted: OpenPageOptions): boolean {
  const isSamePort = wanted.port === undefined || wanted.port === host.port;
  return isSamePort && options.host === wanted.host && options.cert === wanted.cert && options.key === wanted.key;
}

async function networkOf({ host, cert, key }: OpenPageOptions): Promise<PageNetwork | undefined> {
  if (host === undefined) return undefined;
  if ((cert === undefined) !== (key === undefined)) throw new Error('A certificate and its key go together');
  const tls =
    cert === undefined || key === undefined ? undefined : { cert: await readPem(cert), key: await readPem(key) };
  const certified = tls === undefined ? [] : namesIn(tls.cert);
  const addresses = isEveryAddress(host) ? ownAddresses() : [host];
  const [first = host, ...others] = [...certified, ...addresses, hostname(), `${hostname()}.local`];
  return { host, names: [first, ...others], ...(tls && { tls }) };
}

function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Those of this machine in its networks; IPv4 first, because links with it are shorter. */
function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outside = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80'));
  return outside.toSorted((one, other) => one.family.localeCompare(other.family)).map(({ address }) => address);
}

/** The names that a certificate is for, without wildcards: a link needs a full name. */
function namesIn(cert: string): readonly string[] {
  const named = new X509Certificate(cert).subjectAltName ?? '';
  return [...named.matchAll(/(?:DNS|IP Address):([^,\s"]+)/g)].flatMap(([, name = '']) =>
    name.includes('*') ? [] : name,
  );
}

async function readPem(path: string): Promise<string> {
  try {
    return (await readRegularFile(path, MAX_PEM_BYTES)).toString();
  } catch (error) {
    throw new Error(`${path} can't be read: ${messageOf(error)}`);
  }
}

function whyNot({ code, message }: NodeJS.ErrnoException, { port, host }: OpenPageOptions): string {
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Choose another with --port.`;
  if (code === 'EADDRNOTAVAIL') return `This machine has no address ${host}.`;
  return `The page can't be served: ${message}`;
}
