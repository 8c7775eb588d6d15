import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContentBlock } from '@hawser/mcp';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../bridge/testing/temporary-folder.ts';
import { shownResult } from './show-result.ts';

const data = Buffer.from('bytes').toString('base64');
const image: ContentBlock = { type: 'image', data, mimeType: 'image/png' };

it('texts are shown as they are, links by their name', () => {
  const link: ContentBlock = { type: 'resource_link', uri: 'file:///a', name: 'a', title: 'The file' };
  const content: ContentBlock[] = [{ type: 'text', text: 'one\ntwo' }, link];
  expect(shownResult({ content }, { name: 't', folder: '/nowhere' })).toEqual(['one\ntwo', 'The file: file:///a']);
});

it('structured content is shown once, pretty', () => {
  const structuredContent = { a: [1] };
  const repeated: ContentBlock = { type: 'text', text: '{ "a": [1] }' };
  const other: ContentBlock = { type: 'text', text: 'done' };
  const shown = shownResult({ content: [repeated, other], structuredContent }, { name: 't', folder: '/nowhere' });
  expect(shown).toEqual(['done', '{\n  "a": [\n    1\n  ]\n}']);
});

it('bytes are saved to new files, whatever is there', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'shot.png'), 'mine');
  expect(shownResult({ content: [image, image] }, { name: 'shot', folder })).toEqual([
    `image/png saved to ${join(folder, 'shot-2.png')}`,
    `image/png saved to ${join(folder, 'shot-3.png')}`,
  ]);
  expect(readFileSync(join(folder, 'shot.png'), 'utf8')).toBe('mine');
  expect(readFileSync(join(folder, 'shot-3.png'), 'utf8')).toBe('bytes');
});

it('a name that the server chose leads to no other folder and hides no file', () => {
  const folder = temporaryFolder();
  const resource = (uri: string): ContentBlock => ({ type: 'resource', resource: { uri, blob: data } });
  const sound: ContentBlock = { type: 'audio', data, mimeType: 'audio/mpeg' };
  shownResult(
    { content: [resource('x:///../..'), resource('file:///a/.bashrc'), sound] },
    { name: '../../up', folder },
  );
  expect(readdirSync(folder).sort()).toEqual(['bashrc', 'result', 'up.mp3']);
});
