// @ts-check
// What the platform is made of: Debian's source package of it, and Debian's jars of what it uses. A private apt fetches them, so
// nothing is installed and root is not needed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

export const BUILD = '183.5153.4';
export const SOURCE = `intellij-community-idea=${BUILD}-3`;

/** Packages, and the jars of each that are wanted where they are not called as the package. */
export const PACKAGES = `libasm-java libautomaton-java libbatik-java libbcprov-java libcglib-java libcommons-cli-java
  libcommons-codec-java libcommons-collections3-java libcommons-compress-java libcommons-io-java libcommons-lang-java
  libcommons-lang3-java libcommons-logging-java libcommons-net-java liberror-prone-java libgoogle-gson-java libguava-java
  libhdrhistogram-java libhttpclient-java libhttpcore-java libhttpmime-java libimgscalr-java libini4j-java
  libintellij-java-compatibility-java libjackson2-annotations-java libjackson2-core-java libjackson2-databind-java libjaxen-java
  libjdom2-intellij-java libjetbrains-annotations-java libjgoodies-common-java libjgoodies-forms-java libjgraph-java libjna-java
  libjna-platform-java libjna-jni libjsoup-java libjsr305-java libjzlib-java libkotlinx-coroutines-java liblog4j1.2-java
  liblz4-java libmicroba-java libmiglayout-java libnanoxml2-java libnetty-java liboro-java libpicocontainer1-java
  libprotobuf-java libproxy-vole-java librhino-java libslf4j-java libsnappy-java libstreamex-java libswingx-java
  libtrove-intellij-java libxerces2-java libxml-commons-external-java libxmlgraphics-commons-java libxpp3-java libxstream-java
  libyaml-snake-java velocity ant junit4 libhamcrest-java`.split(/\s+/);

export const JARS =
  `asm-all automaton batik-all bcprov cglib commons-cli commons-codec commons-collections3 commons-compress
  commons-io commons-lang commons-lang3 commons-logging commons-net error-prone-annotations fluent-hc gson guava hdrhistogram
  httpclient httpcore httpmime imgscalr-lib ini4j jaxen jdom2-intellij jgoodies-common jgoodies-forms jgraph jna jna-platform js
  jsoup jsr305 jzlib libtrove-intellij log4j-1.2 lz4-java microba miglayout-core miglayout-swing nanoxml oro picocontainer-1
  protobuf proxy-vole slf4j-api snappy-java streamex swingx-core velocity xercesImpl xml-apis-ext xmlgraphics-commons xstream
  intellij-java-compatibility kotlinx-coroutines-core ant netty-buffer netty-codec netty-codec-http netty-common netty-handler
  netty-resolver netty-transport netty-codec-socks netty-handler-proxy netty-codec-dns netty-resolver-dns snakeyaml xpp3
  jackson-core jackson-databind jackson-annotations`.split(/\s+/);

/** Writes the settings of a private apt into a folder; returns the options for apt-get. @param {string} folder */
export function privateApt(folder) {
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg';
  for (const each of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const kinds = ['deb', 'deb-src'];
  const sources = kinds.map((kind) => `${kind} [signed-by=${key}] ${mirror()} bookworm main\n`).join('');
  writeFileSync(join(folder, 'sources.list'), sources);
  const settings = {
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
    'Dir::Etc::SourceList': join(folder, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'APT::Sandbox::User': userInfo().username,
    'Acquire::Languages': 'none',
  };
  return ['-q', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}

/** The mirror that this machine uses. */
function mirror() {
  for (const file of ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list']) {
    const text = read(file);
    const found = [...text.matchAll(/^(?:URIs:\s*|deb (?:\[[^\]]*\] )?)(\S+)/gm)].map(([, uri]) => uri);
    const main = found.find((uri) => uri !== undefined && !uri.includes('security'));
    if (main !== undefined) return main;
  }
  throw new Error('This needs a Debian: no mirror in /etc/apt');
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
