import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkAccessibility, horizontalOverflow } from '../../../../../inspect/testing/browser.ts';
import {
  acceptFirstHunk,
  NEW,
  OLD,
  PHONE,
  type ReviewedWorkspace,
  reviewedWorkspaces,
} from '../../../../testing/review-page.ts';

const reviewed = reviewedWorkspaces();
let workspace: ReviewedWorkspace;
beforeEach(() => {
  workspace = reviewed();
});

describe('the review page', () => {
  it('shows a change, and accepting it answers the agent', async () => {
    await workspace.serve();
    const page = await workspace.open();
    await page.getByText('No change waits for you.').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    const answer = workspace.propose('a.ts', OLD, NEW);
    await page.getByRole('heading', { name: 'a.ts' }).waitFor();
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    expect((await answer)[0]).toBe('FILE_SAVED');
    await page.getByRole('status').getByText('a.ts: accepted').waitFor();
  });

  it('two browsers show the same, and the slower one learns that the other has decided', async () => {
    await workspace.serve();
    const [wide, phone] = [await workspace.open(), await workspace.open(PHONE)];
    const answer = workspace.propose('a.ts', OLD, NEW);
    for (const page of [wide, phone]) await page.getByRole('heading', { name: 'a.ts' }).waitFor();
    expect(await horizontalOverflow(phone)).toBe(0);
    for (const page of [wide, phone]) expect((await checkAccessibility(page)).violations).toEqual([]);
    await phone.getByRole('button', { name: 'Reject', exact: true }).tap();
    expect((await answer)[0]).toBe('DIFF_REJECTED');
    await wide.getByText('This change was rejected in the browser.').waitFor();
  });

  it('by keys alone, one hunk is accepted and the other rejected', async () => {
    await workspace.serve();
    const page = await workspace.open({ colorScheme: 'dark' });
    const answer = workspace.propose('a.ts', OLD, NEW);
    await page.getByRole('button', { name: 'Accept hunk 2' }).waitFor();
    expect((await checkAccessibility(page)).violations).toEqual([]);
    await acceptFirstHunk(page);
    await page.keyboard.press('n');
    await page.keyboard.press('Enter');
    expect(await answer).toEqual(['FILE_SAVED', OLD.replace('line2 = 2', 'line2 = 22')]);
  });

  it('the agent gets exactly the text that was edited in the page, and Esc loses nothing that was typed', async () => {
    await workspace.serve();
    const page = await workspace.open();
    const answer = workspace.propose('a.ts', OLD, NEW);
    const editor = page.getByRole('textbox', { name: 'The result in a.ts' });
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await editor.waitFor();
    expect((await checkAccessibility(page)).violations).toEqual([]);
    await page.keyboard.type('// mine\n');
    await page.keyboard.press('Escape');
    await page.getByText('Your text is not used; e shows it again.').waitFor();
    await page.keyboard.press('e');
    await editor.getByText('// mine').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('This is your version.').waitFor();
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    expect(await answer).toEqual(['FILE_SAVED', `// mine\n${NEW}`]);
  });

  it('what is typed in the editor is kept in a file when the change is decided elsewhere', async () => {
    await workspace.serve();
    const page = await workspace.open();
    const answer = workspace.propose('a.ts', OLD, NEW);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'The result in a.ts' }).waitFor();
    await page.keyboard.type('// mine\n');
    const [{ id }] = JSON.parse((await workspace.household.run('review', '--list', '--json')).out);
    await workspace.household.run('review', '--reject', id);
    await answer;
    const said = page.getByRole('status').getByText('Your version is kept in ');
    const file = (await said.innerText()).replace('Your version is kept in ', '');
    expect(readFileSync(file, 'utf8')).toBe(`// mine\n${NEW}`);
  });

  it('an agent reads the notes and what the user asks for, and the next round shows what is new', async () => {
    writeFileSync(join(workspace.household.workspace, 'a.ts'), OLD);
    await workspace.serve();
    const page = await workspace.open();
    const agent = await workspace.mcpAgent();
    const answer = agent.call('propose_edit', { path: 'a.ts', new_text: NEW });
    await page.locator('.cell-added').first().click();
    await page.keyboard.press('i');
    await page.keyboard.type('why 22?');
    await page.keyboard.press('Control+Enter');
    await page.locator('.note').getByText('why 22?').waitFor();
    await page.getByRole('button', { name: 'Ask for changes' }).click();
    await page.keyboard.type('use 33');
    await page.keyboard.press('Control+Enter');
    const { text } = await answer;
    expect(text).toContain('- line 3 (const line2 = 22;): why 22?\n- use 33');
    const again = agent.call('propose_edit', { path: 'a.ts', new_text: NEW.replace('22', '33') });
    await page.getByText('What is new since round 1.').waitFor();
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    expect((await again).text).toContain('accepted');
    expect(readFileSync(join(workspace.household.workspace, 'a.ts'), 'utf8')).toBe(NEW.replace('22', '33'));
  });

  it('with a certificate everything is encrypted, and nothing is warned of', async () => {
    await workspace.serve();
    const { home } = workspace.household;
    const [key, cert] = [join(home, 'key.pem'), join(home, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    execFileSync('openssl', ['req', '-x509', '-nodes', ...curve, '-keyout', key, '-out', cert, ...subject], {
      stdio: 'ignore',
    });
    const words = ['--host', '127.0.0.1', '--cert', cert, '--key', key];
    const { out } = await workspace.household.run('review', '--web', ...words);
    expect(out).not.toContain('Warning');
    const page = await workspace.open({ ignoreHTTPSErrors: true }, await workspace.link(...words));
    expect(new URL(page.url()).protocol).toBe('https:');
    const answer = workspace.propose('a.ts', OLD, NEW);
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    expect((await answer)[0]).toBe('FILE_SAVED');
    expect(await page.context().cookies()).toMatchObject([{ secure: true, httpOnly: true, sameSite: 'Strict' }]);
  });

  it('a certificate that is a named pipe is refused, and the bridge goes on', async () => {
    await workspace.serve();
    const pipe = join(workspace.household.home, 'pipe.pem');
    execFileSync('mkfifo', [pipe]);
    const words = ['--host', '127.0.0.1', '--cert', pipe, '--key', pipe];
    const refused = await workspace.household.run('review', '--web', ...words);
    expect(refused.err).toContain(`${pipe} can't be read: Not a regular file: ${pipe} is a named pipe`);
    expect((await workspace.household.run('status')).out).toContain('Hawser');
  });

  it('a page of another origin gets nothing, and the link works once', async () => {
    await workspace.serve();
    const link = await workspace.link();
    const page = await workspace.open({}, link);
    await page.getByText('No change waits for you.').waitFor();
    const { origin, host } = new URL(link);
    const hostile = { Origin: 'http://evil.example' };
    expect((await fetch(`${origin}/`, { headers: hostile })).status).toBe(403);
    expect((await fetch(`${origin}/login`, { method: 'POST', body: 'x', headers: hostile })).status).toBe(403);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', name: `hawser-review-${host.split(':')[1]}` });
    const late = await workspace.open({}, link);
    await late.getByText('This page has no access.').waitFor();
    workspace.problems.length = 0; // the browser reports the refused login
  });
});
