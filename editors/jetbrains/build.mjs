// @ts-check
// Compiles the plugin against a platform that platform/build.mjs has made.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { platformClassPath } from './platform/build.mjs';

const home = dirname(fileURLToPath(import.meta.url));

/**
 * Puts the plugin into `out/hawser`, as an IDE has it in its folder of plugins. With `test` it can be driven from outside.
 * @param {{ platform: string, out: string, kind: 'product' | 'test' }} options
 */
export function buildPlugin({ platform, out, kind }) {
  const classes = join(out, 'classes');
  rmSync(classes, { recursive: true, force: true });
  mkdirSync(join(classes, 'META-INF'), { recursive: true });
  const sources = (kind === 'test' ? ['src', 'test'] : ['src']).flatMap((folder) =>
    readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.java'))
      .map((file) => join(home, folder, file)),
  );
  const options = ['-encoding', 'UTF-8', '-source', '8', '-target', '8', '-Xlint:-options', '-nowarn'];
  execFileSync('javac', [...options, '-cp', platformClassPath(platform), '-d', classes, ...sources], {
    stdio: 'inherit',
  });
  const manifest = readFileSync(join(home, 'resources', 'META-INF', 'plugin.xml'), 'utf8');
  const starter = '<appStarter implementation="dev.hawser.jetbrains.TestStarter"/>';
  const described = kind === 'test' ? manifest.replace('</extensions>', `${starter}</extensions>`) : manifest;
  writeFileSync(join(classes, 'META-INF', 'plugin.xml'), described);
  const lib = join(out, 'hawser', 'lib');
  mkdirSync(lib, { recursive: true });
  execFileSync('jar', ['cf', join(lib, 'hawser.jar'), '-C', classes, '.']);
  rmSync(classes, { recursive: true });
}

/** The zip that an IDE installs from disk. @param {{ platform: string, out: string, file: string }} options */
export function packPlugin({ platform, out, file }) {
  buildPlugin({ platform, out, kind: 'product' });
  execFileSync('jar', ['cfM', file, '-C', out, 'hawser']);
  rmSync(out, { recursive: true });
}
