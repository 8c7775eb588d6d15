import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Household } from '../../../bridge/testing/program.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const bad = (rule: string) =>
  `node ${fileURLToPath(new URL('../../testing/bad-server/main.mjs', import.meta.url))} stdio ${rule}`;

let house: Household;
beforeAll(() => {
  house = new Household();
});
afterAll(() => house.dispose());

describe('hawser check', () => {
  it('prints what failed, the specification, and how to reproduce it, and exits with 1', async () => {
    const { code, out, err } = await house.run(
      'check',
      '--stdio',
      bad('unknown-method'),
      '--only',
      'unknown-method',
      '--only',
      'ping',
    );
    expect(code).toBe(1);
    // The two run at the same time.
    expect(err).toMatch(/^[12]\/2 failed unknown-method\n$/);
    expect(out.split('\n')).toEqual([
      `bad 1.0.0, revision 2025-11-25: ${bad('unknown-method')}`,
      '',
      'Errors: the specification says MUST, or clients break',
      '',
      '  unknown-method: An unknown method is answered with -32601',
      '    spec       JSON-RPC 2.0 §5.1 Error object',
      '               https://www.jsonrpc.org/specification',
      '    seen       the error {"code":-32603,"message":"Refused: {}"}',
      '    expected   an error with code -32601',
      expect.stringMatching(/^ {4}reproduce {2}\(printf '%s\\n' .*"hawser\/no-such-method".*; sleep 1\) \| node /),
      '',
      '1 passed, 1 failed, 0 skipped.',
      '',
    ]);
  });

  it('reports as JSON, JUnit and a badge; a warning is no failure', async () => {
    const files = ['--junit', 'report.xml', '--badge', 'badge.svg'];
    const only = ['unknown-tool', 'tool-result', 'ping'].flatMap((id) => ['--only', id]);
    const { code, out } = await house.run('check', '--json', '--stdio', bad('unknown-tool'), ...only, ...files);
    expect(code).toBe(0);
    const { summary, results } = JSON.parse(out);
    expect(summary).toEqual({ passed: 1, failed: 1, skipped: 1 });
    expect(results).toContainEqual({
      id: 'unknown-tool',
      title: 'An unknown tool is answered with -32602',
      status: 'failed',
      severity: 'warning',
      spec: '2025-11-25 Tools §Error Handling',
      url: 'https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling',
      seen: expect.stringContaining('isError'),
      expected: 'an error with code -32602',
      reproduce: expect.any(String),
    });
    expect(results).toContainEqual(
      expect.objectContaining({ id: 'tool-result', status: 'skipped', reason: expect.stringContaining('--call') }),
    );
    const junit = readFileSync(join(house.workspace, 'report.xml'), 'utf8');
    expect(junit).toContain('tests="3" failures="0" skipped="2"');
    expect(readFileSync(join(house.workspace, 'badge.svg'), 'utf8')).toContain('MCP check: 1 of 2 passed');
  });

  it('escapes what a terminal would obey in its JSON', async () => {
    const command = `${bad('unknown-tool')} \u009b31m`;
    const { out } = await house.run('check', '--json', '--stdio', command, '--only', 'ping');
    expect(JSON.parse(out).target).toContain('\u009b31m');
    expect(out).not.toContain('\u009b');
  });

  it('says what is wrong with an unknown check or a server that does not start', async () => {
    const [unknown, missing] = await Promise.all([
      house.run('check', '--only', 'pign', '--list'),
      house.run('check', '--stdio', 'node no-such-file.js'),
    ]);
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('Unknown check: pign.') });
    expect(missing).toMatchObject({ code: 10, err: expect.stringContaining('the process exited with code 1') });
  });

  it.each(['server-everything', 'server-filesystem'])(
    "names the findings of %s that are the SDK's, and accepts those of a baseline",
    async (name) => {
      const server = join(ROOT, 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js');
      const target = ['--stdio', `node ${server} ${name === 'server-everything' ? 'stdio' : house.home}`];
      // None of these waits for an answer that does not come.
      const ids = ['ping', 'batch-answered', 'tools-cursor-type', 'jsonrpc-version'];
      const only = ['--timeout', '60', ...ids.flatMap((id) => ['--only', id])];
      const first = await house.run('check', ...target, ...only, '--write-baseline', 'known.txt');
      expect(first.code).toBe(1);
      expect(first.out).toContain(
        'Findings of every server on the official TypeScript SDK (--json shows what was seen)',
      );
      expect(first.out).toContain('  error    batch-answered: A batch is answered under 2025-03-26');
      expect(first.out).toContain("1 passed, 3 failed (3 of 3 are the SDK's), 0 skipped.");
      const again = await house.run('check', ...target, ...only, '--baseline', 'known.txt', '--junit', 'known.xml');
      expect(again.code).toBe(0);
      expect(again.out).toContain("1 passed, 3 failed (3 of 3 are the SDK's, 3 are accepted), 0 skipped.");
      expect(readFileSync(join(house.workspace, 'known.xml'), 'utf8')).toContain('failures="0" skipped="3"');
    },
  );

  it('says what a baseline accepts without need, and refuses one that names no check', async () => {
    writeFileSync(join(house.workspace, 'old.txt'), '# known\nping # passes now\n');
    const { code, err } = await house.run(
      'check',
      '--stdio',
      bad('unknown-method'),
      '--only',
      'ping',
      '--baseline',
      'old.txt',
    );
    expect(code).toBe(0);
    expect(err).toBe('These pass now; remove them from old.txt: ping\n');
    writeFileSync(join(house.workspace, 'wrong.txt'), '\npin\n');
    const refused = await house.run('check', '--stdio', 'node', '--baseline', 'wrong.txt');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('wrong.txt:2: unknown check pin. Did you mean ping?');
    const missing = await house.run('check', '--stdio', 'node', '--baseline', 'none.txt');
    expect(missing.code).toBe(2);
    expect(missing.err).toContain('--write-baseline makes a baseline.');
  });
});
