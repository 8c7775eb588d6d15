// @ts-check
// What has to change in sources of 2018 so that they compile with JDK 17 and Debian's jars. An edit that finds nothing to change
// is an error.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { STAND_INS } from './stand-ins.mjs';

const IMPL = 'platform/platform-impl/src/com/intellij';
const VCS_UI = 'platform/vcs-impl/src/com/intellij/openapi/vcs/changes/ui';

/** Debian's own patches that matter here: newer javac, no Apple classes, Java 17. */
const PATCHES = ['fix-platform-util-compilation', 'remove-apple-awt-api', 'java17-compatibility'];

/** They need jars that Debian has not, or parts that are not built, and no test needs them. */
const REMOVED = [
  'platform/analysis-impl/src/com/intellij/profile/codeInspection/InspectionsProfileConfigurationHandler.kt',
  'platform/built-in-server/src/org/jetbrains/builtInWebServer/BuiltInWebBrowserUrlProvider.kt',
  'platform/built-in-server/src/org/jetbrains/ide/XmlRpcServerImpl.java',
  'platform/lang-impl/src/com/intellij/codeInspection/AbstractInspectionToolStarter.java',
  'platform/lang-impl/src/com/intellij/codeInspection/AbstractInspectionCmdlineOptions.java',
  'platform/lang-impl/src/com/intellij/codeInsight/template/macro/GroovyScriptMacro.java',
  'platform/platform-impl/src/net/sf/cglib',
  'json/src/com/intellij/json/JsonSpellcheckerStrategy.java',
  `${IMPL}/ide/MacOSApplicationProvider.java`,
  `${IMPL}/terminal`,
  `${IMPL}/ui/javafx`,
  `${IMPL}/help/impl`,
];

/** All that is needed of the rest of Java, besides what reads and indexes it. */
const OF_JAVA = [
  'ide/fileTemplates/JavaTemplateUtil',
  'openapi/fileTypes/impl/JavaFileTypeFactory',
  'psi/impl/cache/impl/idCache/JavaFilterLexer',
  'psi/impl/cache/impl/idCache/JavaIdIndexer',
  'psi/impl/file/JavaDirectoryServiceImpl',
];

/** @type {[reason: string, files: string[], edits: [RegExp, string][]][]} */
const EDITS = [
  [
    'coroutines are no longer experimental in Kotlin 1.3',
    ['AppUIExecutorEx', 'AppUIExecutorImpl', 'AsyncExecution', 'AsyncExecutionSupport'].map(
      (name) => `${IMPL}/openapi/application/impl/${name}.kt`,
    ),
    [[/coroutines\.experimental/g, 'coroutines']],
  ],
  [
    'a call that newer coroutines have not',
    [`${IMPL}/openapi/application/impl/AsyncExecutionSupport.kt`],
    [[/job\.disposeOnCompletion\(handle\)/, 'job.invokeOnCompletion { handle.dispose() }']],
  ],
  [
    'all modules are compiled at once, and two have a LOG in one package',
    [`${IMPL}/configurationStore/StateStorageBase.kt`],
    [[/\bLOG\b/g, 'LOG_IMPL']],
  ],
  [
    'the other LOG',
    ['BinaryXmlWriter', 'DefaultStateSerializer', 'SchemeManagerIprProvider'].map(
      (name) => `platform/projectModel-impl/src/com/intellij/configurationStore/${name}.kt`,
    ),
    [[/\bLOG\b/g, 'LOG_MODEL']],
  ],
  [
    'the setter of JButton.ui has another type since JDK 9',
    [`${IMPL}/ide/ui/laf/darcula/ui/customFrameDecorations/DarculaTitleButtons.kt`],
    [[/\.apply \{ ui = BasicButtonUI\(\) \}/, '.apply { setUI(BasicButtonUI()) }']],
  ],
  [
    'inside of JDK 8',
    [`${IMPL}/internal/DebugAttachDetector.java`],
    [
      [/import sun\.misc\.VMSupport;\n/, ''],
      [/VMSupport\.getAgentProperties\(\)/, 'new java.util.Properties()'],
    ],
  ],
  [
    'inside of JDK 8',
    [`${IMPL}/ui/popup/PopupComponent.java`],
    [
      [/import com\.sun\.awt\.AWTUtilities;\n/, ''],
      [/.*AWTUtilities\.setWindowOpaque.*\n/, ''],
    ],
  ],
  [
    'XML is not built',
    ['RegExpSupport/src/org/intellij/lang/regexp/inspection/RegExpReplacementUtil.java'],
    [
      [/import com\.intellij\.psi\.xml\.XmlElement;\n/, ''],
      [/context instanceof XmlElement/, 'false'],
    ],
  ],
  [
    'XML is not built',
    ['platform/built-in-server/src/org/jetbrains/builtInWebServer/BuiltInServerOptions.java'],
    [
      [/import com\.intellij\.xml\.XmlBundle;\n/, ''],
      [/XmlBundle\s*\.message\([^)]*\)/, '"Built-in Server"'],
    ],
  ],
  [
    'javax.rmi left the JDK',
    ['platform/lang-impl/src/com/intellij/execution/rmi/RemoteProcessSupport.java'],
    [
      [/import javax\.rmi\.PortableRemoteObject;\n/, ''],
      [/PortableRemoteObject\.narrow\(remote, to\)/, 'remote'],
    ],
  ],
  [
    'no JavaFX: tips are shown by Swing',
    [`${IMPL}/ide/util/TipUIUtil.java`],
    [
      [/import (javafx|com\.twelvemonkeys)\.[^\n]*\n/g, ''],
      [/Registry\.is\("ide\.javafx\.tips"\) \? new JFXBrowser\(\) : new SwingBrowser\(\)/, 'new SwingBrowser()'],
      [
        /new ByteArrayImageInputStream\(bytes\)/,
        'new javax.imageio.stream.MemoryCacheImageInputStream(new java.io.ByteArrayInputStream(bytes))',
      ],
      [/ {2}private static class JFXBrowser [\s\S]*/, '}\n'],
    ],
  ],
  [
    'no JavaFX',
    [`${IMPL}/openapi/wm/impl/GlobalMenuLinux.java`],
    [
      [/import com\.sun\.javafx\.application\.PlatformImpl;\n/, ''],
      [/PlatformImpl\.startup\(\(\)->(.*)\);$/m, '$1;'],
    ],
  ],
  [
    'JSON and Java belong to the tests of the plugin',
    ['platform/platform-resources/src/META-INF/PlatformLangPlugin.xml'],
    [
      [
        /<\/idea-plugin>/,
        '<xi:include href="/META-INF/languages.xml" xpointer="xpointer(/idea-plugin/*)"/></idea-plugin>',
      ],
    ],
  ],
  [
    'the ASM in the Kotlin compiler lacks what that does not use',
    ['java/java-psi-impl/src/com/intellij/psi/impl/compiled/StubBuildingVisitor.java'],
    [
      [/TypeReference\.METHOD_RETURN/, '0x14'],
      [/TypeReference\.METHOD_FORMAL_PARAMETER/, '0x16'],
    ],
  ],
  [
    'javac 17 infers another type',
    ['platform/usageView/src/com/intellij/usages/impl/GroupNode.java'],
    [
      [
        /return ObjectUtils\.notNull\(children, Collections\.emptyList\(\)\);/,
        'return (java.util.List)(children == null ? Collections.emptyList() : children);',
      ],
    ],
  ],
  [
    'newer JNA',
    [`${IMPL}/ui/picker/MacColorPipette.java`],
    [
      [
        /Native\.getDirectByteBuffer\(bytes\.longValue\(\), length\.longValue\(\)\)/,
        'new com.sun.jna.Pointer(bytes.longValue()).getByteBuffer(0, length.longValue())',
      ],
    ],
  ],
  [
    'TreeNode.children() has a type since JDK 9',
    [`${VCS_UI}/ChangesListView.java`, `${VCS_UI}/TreeModelBuilder.java`, `${VCS_UI}/VcsTreeModelData.java`],
    [[/(iterate\(|= )(root|getRoot\(\)|child)(\.children\(\)[);])/g, '$1(java.util.Enumeration)$2$3']],
  ],
];

/** @param {string} source where Debian's source package is unpacked */
export function editSources(source) {
  for (const patch of PATCHES) {
    const file = join(source, 'debian/patches', `${patch}.patch`);
    execFileSync('patch', ['-s', '-p1', '-f', '-i', file], { cwd: source });
  }
  for (const path of REMOVED) rmSync(join(source, path), { recursive: true });
  for (const [, files, edits] of EDITS) for (const file of files) edit(join(source, file), edits);
  nameModule(source);
  moveIntoPackages(source);
  for (const [name, body] of Object.entries(STAND_INS)) {
    const folder = packageFolder(source, name.slice(0, name.lastIndexOf('.')));
    const type = name.slice(name.lastIndexOf('.') + 1);
    writeFileSync(join(folder, `${type}.java`), `package ${name.slice(0, name.lastIndexOf('.'))};\npublic ${body}\n`);
  }
}

/**
 * @param {string} file
 * @param {[RegExp, string][]} edits
 */
function edit(file, edits) {
  let text = readFileSync(file, 'utf8');
  for (const [pattern, replacement] of edits) {
    const before = text;
    text = text.replace(pattern, replacement);
    if (text === before) throw new Error(`${file} has no ${pattern}`);
  }
  writeFileSync(file, text);
}

/** java.lang.Module, of JDK 9, hides the platform's where that is imported with a star. @param {string} source */
function nameModule(source) {
  const star = 'import com.intellij.openapi.module.*;';
  for (const file of filesWith(source, star, ['platform', 'RegExpSupport', 'jps', 'json', 'java'])) {
    edit(file, [
      [/^import com\.intellij\.openapi\.module\.\*;/m, `${star} import com.intellij.openapi.module.Module;`],
    ]);
  }
}

/** Two modules leave out the folders of their packages, which javac wants. @param {string} source */
function moveIntoPackages(source) {
  const modules = ['platform/configuration-store-impl/src', 'platform/credential-store/src'];
  const ofJava = OF_JAVA.map((name) => join(source, 'java/java-impl/src/com/intellij', `${name}.java`));
  for (const file of [...filesWith(source, 'package ', modules), ...ofJava]) {
    const [, name = ''] = /^package ([\w.]+);/m.exec(readFileSync(file, 'utf8')) ?? [];
    renameSync(file, join(packageFolder(source, name), basename(file)));
  }
}

/**
 * @param {string} source
 * @param {string} name
 */
function packageFolder(source, name) {
  const folder = join(source, 'fix', ...name.split('.'));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * @param {string} source
 * @param {string} text
 * @param {string[]} folders
 */
function filesWith(source, text, folders) {
  const args = ['-rlF', '--include=*.java', text, ...folders];
  const list = execFileSync('grep', args, { cwd: source, encoding: 'utf8', maxBuffer: 1 << 26 });
  return list
    .trim()
    .split('\n')
    .map((file) => join(source, file));
}
