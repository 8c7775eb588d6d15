import { expect, it } from 'vitest';
import { describeTarget, urlTarget, withoutSecrets } from './target.ts';

it.each([
  ['https://a.example/mcp?api_key=abcdefgh12345678&profile=dev', 'https://a.example/mcp?api_key=…&profile=…'],
  ['wss://user:password@a.example/?token=x', 'wss://a.example/?token=…'],
  ['https://a.example/s/NGFjZTk4MDEtZjY0NC00NzEy/mcp', 'https://a.example/s/…/mcp'],
  [
    'https://a.example/model-context-protocol/v1/mcp?stateless#x',
    'https://a.example/model-context-protocol/v1/mcp?stateless',
  ],
  ['http://127.0.0.1:3000/mcp', 'http://127.0.0.1:3000/mcp'],
])('%s is described as %s', (url, description) => {
  expect(describeTarget(urlTarget(url, {}))).toBe(description);
});

it('a URL that no transport takes is named without its secrets', () => {
  for (const url of ['htp://u:password@a/?api_key=abcdefgh', 'a.example?api_key=abcdefgh']) {
    const named = () => urlTarget(url, {});
    expect(named).toThrow(/is not a URL with http:/);
    expect(named).not.toThrow(/abcdefgh|password/);
  }
});

it('what a message repeats of the secrets in a target is left out of it', () => {
  const target = urlTarget('https://me:hunter2hunter@a.example/mcp?key=s%2Fcret%2Fword&v=1', {
    Authorization: 'Bearer abcdefgh',
  });
  const message = '404 at /mcp?key=s%2Fcret%2Fword (s/cret/word) for hunter2hunter with Bearer abcdefgh, v=1';
  expect(withoutSecrets(message, target)).toBe('404 at /mcp?key=… (…) for … with …, v=1');
});
