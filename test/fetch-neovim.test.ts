import { describe, expect, it } from 'vitest';
import { archiveOf, packagesIn } from '../scripts/fetch-neovim.mjs';

describe('where newer Neovims come from', () => {
  it('is the archive in either style of apt source, and nowhere without one', () => {
    const style822 = 'Types: deb\nURIs: http://archive.test/debian\nSuites: bookworm\n';
    expect(archiveOf([style822])).toBe('http://archive.test/debian');
    expect(archiveOf(['# nothing\n', 'deb [signed-by=/k.gpg] http://one.test/debian bookworm main\n'])).toBe(
      'http://one.test/debian',
    );
    expect(archiveOf(['deb http://other.test/debian/ bookworm main\n'])).toBe('http://other.test/debian/');
    expect(archiveOf(['deb http://archive.test/ubuntu noble main\n'])).toBeUndefined();
    expect(archiveOf([])).toBeUndefined();
  });

  it('is each package once, without those that others provide', () => {
    const graph = [
      'neovim',
      '  Depends: libc6',
      '  Depends: <editor>',
      '    vim',
      'libc6',
      '<editor>',
      'libc6',
      'libstdc++6',
    ];
    expect(packagesIn(graph.join('\n'))).toEqual(['neovim', 'libc6', 'libstdc++6']);
  });
});
