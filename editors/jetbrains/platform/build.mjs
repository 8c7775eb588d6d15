// @ts-check
// Builds an IntelliJ platform of 2018.3 (Apache-2.0) from Debian's source package, for tests: no binary of an IDE can be had from a
// package registry. `node editors/jetbrains/platform/build.mjs FOLDER`; a second run skips the stages that are done. It has two
// languages: JSON, and of Java what finds and renames. It takes some minutes, 3 GB of memory and 1.5 GB of disk, of which 150 MB
// stay; JDK 17, npm, dpkg-dev and patch have to be there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD, JARS, PACKAGES, privateApt, SOURCE } from './debian.mjs';
import { editSources } from './source-edits.mjs';

const KOTLIN = 'kotlin-compiler@1.3.31';
const MEMORY = '-Xmx3g';
const MODULES =
  `analysis-api analysis-impl boot bootstrap built-in-server-api built-in-server configuration-store-impl core-api
  core-impl credential-store diff-api diff-impl duplicates-analysis editor-ui-api editor-ui-ex extensions forms_rt indexing-api
  indexing-impl lang-api lang-impl lvcs-api lvcs-impl platform-api platform-impl platform-main projectModel-api projectModel-impl
  structure-view-impl usageView util-rt util vcs-api vcs-api/vcs-api-core vcs-impl vcs-log/api vcs-log/graph-api vcs-log/graph
  vcs-log/impl xdebugger-api xdebugger-impl`.split(/\s+/);
const OTHER_ROOTS =
  `RegExpSupport/gen RegExpSupport/src jps/model-api/src jps/model-impl/src jps/model-serialization/src json/gen json/src
  java/java-psi-api/src java/java-psi-impl/gen java/java-psi-impl/src java/java-indexing-api/src java/java-indexing-impl/src
  fix`.split(/\s+/);

/**
 * @param {string} folder where it is built; `lib/` and `home/` are what stays
 * @param {(text: string) => void} say
 */
export function buildPlatform(folder, say) {
  const out = resolve(folder);
  const work = join(out, 'work');
  const at = (/** @type {string[]} */ ...path) => join(work, ...path);
  const source = at('src');
  const lib = join(out, 'lib');
  const kotlin = at('package', 'lib');
  const recipe = recipeHash();
  const isOld = !existsSync(join(out, 'recipe')) || readFileSync(join(out, 'recipe'), 'utf8') !== recipe;
  if (isOld) rmSync(out, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  writeFileSync(join(out, 'recipe'), recipe);

  /** @param {string} name @param {() => void} make */
  const stage = (name, make) => {
    if (existsSync(at(`.done-${name}`))) return;
    const start = Date.now();
    make();
    writeFileSync(at(`.done-${name}`), '');
    say(`${name}: ${Math.round((Date.now() - start) / 1000)} s`);
  };
  /** @param {string} program @param {string[]} args @param {string} [cwd] */
  const run = (program, args, cwd = work) => {
    const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
    if (status !== 0)
      throw new Error(`${program} ${args[0]} failed: ${error?.message ?? `${stdout}${stderr}`.slice(-3000)}`);
    return stdout;
  };
  const classPath = () =>
    jarsIn(lib)
      .filter((jar) => !jar.endsWith('/platform.jar'))
      .join(':');
  const roots = () => {
    const all = MODULES.flatMap((name) => ['src', 'gen', 'resources'].map((each) => `platform/${name}/${each}`));
    return [...OTHER_ROOTS, ...all.filter((root) => existsSync(join(source, root)))];
  };

  stage('download', () => {
    const apt = privateApt(at('apt'));
    mkdirSync(at('debs'), { recursive: true });
    run('apt-get', [...apt, 'update']);
    run('apt-get', [...apt, 'download', ...PACKAGES], at('debs'));
    run('apt-get', [...apt, 'source', '--download-only', SOURCE]);
    run('npm', ['pack', '--silent', KOTLIN]);
    run('tar', ['xzf', `${KOTLIN.replace('@', '-')}.tgz`]);
    for (const file of readdirSync(at('debs'))) run('dpkg-deb', ['-x', at('debs', file), at('root')]);
  });
  stage('source', () => {
    rmSync(source, { recursive: true, force: true });
    const [dsc = ''] = readdirSync(work).filter((name) => name.endsWith('.dsc'));
    run('dpkg-source', ['--no-check', '--skip-patches', '-x', dsc, 'src']);
    editSources(source);
  });
  stage('libraries', () => {
    mkdirSync(lib, { recursive: true });
    const jars = readdirSync(at('root/usr/share/java'));
    for (const name of JARS) {
      const file = jars.includes(`${name}.jar`) ? `${name}.jar` : jars.find((each) => each.startsWith(name));
      if (file === undefined) throw new Error(`Debian has no ${name}.jar`);
      cpSync(at('root/usr/share/java', file), join(lib, `${name}.jar`), { dereference: true });
    }
    for (const name of ['kotlin-stdlib', 'kotlin-stdlib-jdk7', 'kotlin-stdlib-jdk8', 'kotlin-reflect']) {
      cpSync(join(kotlin, `${name}.jar`), join(lib, `${name}.jar`));
    }
    // NotNull and Nullable of Debian's version are about types as well, and Kotlin 1.3 infers others then.
    repack(join(lib, 'a-annotations.jar'), [
      [at('root/usr/share/java/org.jetbrains.annotations-common.jar'), 'org'],
      [
        join(kotlin, 'annotations-13.0.jar'),
        'org/jetbrains/annotations/NotNull.class org/jetbrains/annotations/Nullable.class',
      ],
    ]);
    // JetBrains' renamed ASM is inside the compiler.
    repack(join(lib, 'jb-asm.jar'), [[join(kotlin, 'kotlin-compiler.jar'), 'org/jetbrains/org/objectweb/asm']]);
  });
  stage('kotlin', () => {
    const files = run('find', [...roots(), '-name', '*.kt'], source)
      .trim()
      .split('\n');
    const opens = ['java.lang', 'java.util', 'java.nio', 'java.io', 'sun.nio.ch'].flatMap((name) => [
      '--add-opens',
      `java.base/${name}=ALL-UNNAMED`,
    ]);
    const names = ['kotlin-compiler', 'kotlin-stdlib', 'kotlin-reflect', 'kotlin-script-runtime', 'trove4j'];
    const compiler = names.map((name) => join(kotlin, `${name}.jar`)).join(':');
    const javaRoots = roots().filter((root) => !/configuration-store-impl|credential-store/.test(root));
    const options = [
      '-no-stdlib',
      '-no-reflect',
      '-nowarn',
      '-jvm-target',
      '1.8',
      '-cp',
      classPath(),
      '-d',
      at('kotlin'),
    ];
    const main = 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler';
    run('java', [MEMORY, ...opens, '-cp', compiler, main, ...options, ...files, ...javaRoots], source);
  });
  stage('java', () => {
    writeFileSync(at('java.list'), run('find', [...roots(), '-name', '*.java'], source));
    const options = [
      '-encoding',
      'UTF-8',
      '-source',
      '8',
      '-target',
      '8',
      '-proc:none',
      '-nowarn',
      '-XDignore.symbol.file',
    ];
    const path = `${at('kotlin')}:${classPath()}`;
    run(
      'javac',
      [`-J${MEMORY}`, '-Xlint:none', ...options, '-cp', path, '-d', at('java'), `@${at('java.list')}`],
      source,
    );
  });
  stage('forms', () => {
    // The platform's own compiler of dialogs, with Debian's ASM, which reads classes of a newer JDK.
    for (const part of ['forms-compiler', 'instrumentation-util', 'instrumentation-util-8']) {
      cpSync(join(source, 'java/compiler', part, 'src'), at('forms-source'), { recursive: true });
    }
    rmSync(at('forms-source/com/intellij/compiler/notNullVerification'), { recursive: true });
    cpSync(fileURLToPath(new URL('./Forms.java', import.meta.url)), at('forms-source/Forms.java'));
    const files = run('find', [at('forms-source'), '-name', '*.java'])
      .trim()
      .split('\n');
    for (const file of files) {
      const text = readFileSync(file, 'utf8')
        .replaceAll('org.jetbrains.org.objectweb.asm', 'org.objectweb.asm')
        .replaceAll('Opcodes.API_VERSION', 'Opcodes.ASM9')
        .replaceAll(/new (Row|Column)Spec\(spec\)/g, '$1Spec.decode(spec)'); // newer JGoodies
      writeFileSync(file, text);
    }
    const path = `${at('java')}:${classPath()}`;
    run('javac', ['-nowarn', '-Xlint:none', '-proc:none', '-d', at('forms'), '-cp', path, ...files]);
    const list = run('find', [...roots(), '-name', '*.form'], source)
      .trim()
      .split('\n');
    writeFileSync(at('forms.list'), list.map((file) => join(source, file)).join('\n'));
    const all = `${at('java')}:${at('kotlin')}:${classPath()}`;
    run('java', ['-cp', `${at('forms')}:${path}`, 'Forms', at('java'), all, at('forms.list')]);
  });
  stage('resources', () => {
    rmSync(at('resources'), { recursive: true, force: true });
    const all = [...roots(), 'platform/platform-resources/src', 'platform/platform-resources-en/src'];
    const isResource = (/** @type {string} */ path) => !/\.(java|kt|form|flex)$/.test(path);
    for (const root of all) cpSync(join(source, root), at('resources'), { recursive: true, filter: isResource });
    writeFileSync(at('resources/idea/PlatformLangApplicationInfo.xml'), APPLICATION_INFO);
    cpSync(fileURLToPath(new URL('./languages.xml', import.meta.url)), at('resources/META-INF/languages.xml'));
    const program = fileURLToPath(new URL('./Resources.java', import.meta.url));
    say(run('java', [program, source, at('resources'), at('java'), at('kotlin')]).trim());
    // Debian's JNA has its native part beside the jar.
    const [native = ''] = run('find', [at('root/usr/lib'), '-name', 'libjnidispatch*.so']).split('\n');
    cpSync(native, at('resources/com/sun/jna/linux-x86-64/libjnidispatch.so'), { dereference: true });
  });
  stage('result', () => {
    const parts = ['kotlin', 'java', 'resources'];
    rmSync(at('all'), { recursive: true, force: true });
    for (const part of parts) cpSync(at(part), at('all'), { recursive: true });
    run('jar', ['c0f', join(lib, 'platform.jar'), '-C', at('all'), '.']);
    for (const each of ['bin', 'lib']) mkdirSync(join(out, 'home', each), { recursive: true });
    writeFileSync(join(out, 'home/bin/idea.properties'), '');
    writeFileSync(join(out, 'home/build.txt'), `IC-${BUILD}\n`);
    cpSync(join(source, 'bin/log.xml'), join(out, 'home/bin/log.xml'));
    for (const part of [...parts, 'all', 'forms', 'forms-source', 'src', 'debs', 'root', 'package'])
      rmSync(at(part), { recursive: true, force: true });
  });

  /** @param {string} jar @param {[from: string, entries: string][]} parts */
  function repack(jar, parts) {
    const folder = at('repack');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const [from, entries] of parts) run('jar', ['xf', from, ...entries.split(' ')], folder);
    run('jar', ['cf', jar, 'org'], folder);
  }
}

/** Of the files beside this one: another recipe makes another platform. */
function recipeHash() {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}

/** The name of another company keeps the first start from waiting for a licence. */
const APPLICATION_INFO = `<component>
  <version codename="Test" major="2018" minor="3" eap="false"/><company name="Built for tests" url="http://127.0.0.1/"/>
  <build number="IC-${BUILD}" date="201901010000"/><logo url="/idea_logo.png" textcolor="FFFFFF"/><about url="/idea_about.png"/>
  <icon size32="/icon.png" size16="/icon.png" size32opaque="/icon.png"/><names product="IDEA" fullname="IntelliJ IDEA"/>
  <update-urls check="http://127.0.0.1/" download="http://127.0.0.1/"/>
</component>
`;

/** @param {string} folder */
function jarsIn(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jar'))
    .map((name) => join(folder, name));
}

/** Packages of the JDK that the platform looks into. */
const OPENED = {
  'java.base': `java.lang java.util java.util.stream java.util.concurrent java.net java.nio java.io java.text sun.nio.ch
    sun.net.www.protocol.jar`,
  'java.desktop': `java.awt java.awt.event javax.swing javax.swing.plaf.basic javax.swing.text javax.swing.text.html sun.awt
    sun.awt.X11 sun.awt.image sun.font sun.java2d sun.swing`,
};

/**
 * The arguments of `java` that run it. `sandbox` gets everything that an IDE writes, its home folder included; plugins are in
 * `sandbox/plugins`.
 * @param {{
 *   platform: string, sandbox: string, screen: 'headless' | 'display', command: string[], properties?: Record<string, string>
 * }} options
 */
export function ideArguments({ platform, sandbox, screen, command, properties = {} }) {
  for (const each of ['config', 'system', 'plugins', 'log', 'home'])
    mkdirSync(join(sandbox, each), { recursive: true });
  const opens = Object.entries(OPENED).flatMap(([module, names]) =>
    names.split(/\s+/).map((name) => `--add-opens=${module}/${name}=ALL-UNNAMED`),
  );
  const all = {
    'java.awt.headless': String(screen === 'headless'),
    'idea.platform.prefix': 'PlatformLang',
    'idea.home.path': join(platform, 'home'),
    'idea.config.path': join(sandbox, 'config'),
    'idea.system.path': join(sandbox, 'system'),
    'idea.plugins.path': join(sandbox, 'plugins'),
    'idea.log.path': join(sandbox, 'log'),
    'java.util.prefs.userRoot': join(sandbox, 'system'),
    'user.home': join(sandbox, 'home'),
    'jna.nosys': 'true',
    'file.encoding': 'UTF-8',
    'sun.jnu.encoding': 'UTF-8',
    ...properties,
  };
  const set = Object.entries(all).map(([name, value]) => `-D${name}=${value}`);
  return [
    '-Xmx1g',
    ...set,
    ...opens,
    '-cp',
    jarsIn(join(platform, 'lib')).join(':'),
    'com.intellij.idea.Main',
    ...command,
  ];
}

/** Jars to compile a plugin against. @param {string} platform */
export function platformClassPath(platform) {
  return jarsIn(join(platform, 'lib')).join(':');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error('node editors/jetbrains/platform/build.mjs FOLDER');
    process.exit(2);
  }
  buildPlatform(folder, console.log);
}
