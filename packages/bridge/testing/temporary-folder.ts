import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder, by its real path, that goes away with the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hw-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A link to an empty folder; both go away with the test. */
export function temporaryLink(): { readonly real: string; readonly path: string } {
  const real = temporaryFolder();
  const path = join(temporaryFolder(), 'link');
  symlinkSync(real, path);
  return { real, path };
}
