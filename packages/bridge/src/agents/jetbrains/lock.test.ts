import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryLink } from '../../../testing/temporary-folder.ts';
import { jetbrainsLock, readJetbrainsLock } from './lock.ts';

const { folderFor, nameFor, contentFor } = jetbrainsLock;

describe("the JetBrains plugin's lock", () => {
  it('is .claude-code/<port>.json in the project', () => {
    expect(join(folderFor(['/p']), nameFor({ port: 12345 }))).toBe('/p/.claude-code/12345.json');
  });

  it('holds exactly the port, the token and the real path of the project', () => {
    const { real, path } = temporaryLink();
    expect(contentFor({ port: 12345, token: 'secret', folders: [path] })).toBe(
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
    const content = contentFor({ port: 12345, token: 'secret', folders: ['/'] });
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
