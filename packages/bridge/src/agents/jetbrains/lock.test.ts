import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { jetbrainsLockContent, jetbrainsLockFolder, jetbrainsLockName, readJetbrainsLock } from './lock.ts';

describe("the JetBrains plugin's lock", () => {
  it('is .claude-code/<port>.json in the project', () => {
    expect(join(jetbrainsLockFolder('/p'), jetbrainsLockName(12345))).toBe('/p/.claude-code/12345.json');
  });

  it('holds exactly the port, the token and the real path of the project', () => {
    const real = temporaryFolder();
    const link = join(temporaryFolder(), 'link');
    symlinkSync(real, link);
    expect(jetbrainsLockContent({ port: 12345, authToken: 'secret', projectPath: link })).toBe(
      `{"port":12345,"authToken":"secret","projectPath":"${real}"}`,
    );
  });

  it("is read as the document's example has it", () => {
    const example = '{"port": 12345, "authToken": "randomly-generated-token", "projectPath": "/path/to/project"}';
    expect(readJetbrainsLock('12345.json', example)).toEqual({
      port: 12345,
      pid: undefined,
      token: 'randomly-generated-token',
      folders: ['/path/to/project'],
    });
  });

  it('is read back as it was written, and names no process', () => {
    const content = jetbrainsLockContent({ port: 12345, authToken: 'secret', projectPath: '/' });
    const lock = { port: 12345, pid: undefined, token: 'secret', folders: ['/'] };
    expect(readJetbrainsLock('12345.json', content)).toEqual(lock);
  });

  it.each([
    ['settings.json', '{}', undefined],
    ['12345.json', 'nonsense', 'It holds no JSON object'],
    ['12345.json', '{"port":1}', 'It names another port than its file does'],
    ['12345.json', '{"port":"12345"}', 'It names another port than its file does'],
  ])('is not %s with %s', (name, text, why) => {
    expect(readJetbrainsLock(name, text)).toEqual(why && new Error(why));
  });
});
