import { readFileSync } from 'node:fs';
import { parseTranscript } from '@hawser/client/transcript';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAccessibility, sharedBrowser } from '../testing/browser.ts';
import {
  callTool,
  connectedTo,
  field,
  INSPECTED,
  InspectCommand,
  resultOf,
  resultText,
  showTool,
  showView,
} from '../testing/inspect-command.ts';

const browser = sharedBrowser();

/** Calls a tool that asks the user, and resolves to where the page shows its questions. */
const askedBy = async (page: Page, tool: string) => {
  await showTool(page, tool);
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  return page.getByRole('region', { name: 'Questions of the server' });
};
/** Whether a click at its middle, its top or its bottom reaches it. */
const isInSight = (button: Locator) =>
  button.evaluate((node) => {
    const { left, width, top, bottom } = node.getBoundingClientRect();
    return [top + 2, (top + bottom) / 2, bottom - 2].every(
      (y) => node.ownerDocument.elementFromPoint(left + width / 2, y) === node,
    );
  });

describe('the page, on a server over stdio', () => {
  let command: InspectCommand;
  let page: Page;
  beforeAll(async () => {
    command = new InspectCommand(browser(), ['--stdio', INSPECTED]);
    page = await command.open(await command.link());
    await connectedTo(page, 'Inspected Server');
  });
  afterAll(() => command.dispose());

  it('shows what the server is, offers and wants to be known', async () => {
    const facts = page.getByRole('region', { name: 'About the server' });
    expect(await facts.textContent()).toContain('inspected 1.2.3');
    expect(await facts.textContent()).toContain('2026-07-28 over stdio, stateless');
    expect(await facts.textContent()).toContain('resources (subscribe, listChanged)');
    expect(await facts.textContent()).toContain('Call echo first.\nThen look at the resources.');
    await page.getByRole('button', { name: 'Ping' }).click();
    await page.getByText(/^Answered in \d/).waitFor();
  });

  it('takes its link out of the address bar', () => {
    expect(new URL(page.url()).hash).toBe('');
  });

  it('filters the tools, calls one with Enter and shows its text', async () => {
    await showView(page, 'Tools');
    await page.getByRole('searchbox', { name: 'Filter tools' }).fill('answers text');
    await expect.poll(() => page.getByRole('list', { name: 'tools' }).getByRole('button').count()).toBe(1);
    await showTool(page, 'echo');
    await field(page, 'text').fill('Hello <b>there</b>');
    await field(page, 'text').press('Enter');
    expect(await resultText(page)).toContain('Hello <b>there</b>');
    await page.getByRole('searchbox', { name: 'Filter tools' }).fill('');
  });

  it('makes a form from a difficult schema, and shows what is wrong at the fields', async () => {
    await showTool(page, 'difficult');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.field-problem', { hasText: 'Enter a number.' }).first().waitFor();
    // The first wrong field has the focus.
    await page.locator('[aria-invalid="true"]:focus').waitFor();
    await field(page, 'title').fill('small');
    await field(page, 'count').fill('99');
    await field(page, 'radius').fill('-1');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page
      .locator('.field', { has: field(page, 'title') })
      .locator('.field-problem')
      .last()
      .waitFor();
    const problems = await page.locator('.field-problem').allTextContents();
    expect(problems).toEqual([
      'String does not match pattern.',
      '99 is greater than 10.',
      'Array has too few items (0 < 1).',
      '-1 is less than 0.',
    ]);
    expect(await field(page, 'count').getAttribute('aria-invalid')).toBe('true');
  });

  it('sends what the form has, of every kind of schema', async () => {
    await field(page, 'title').fill('Tall');
    await field(page, 'count').fill('3');
    await page.getByRole('button', { name: 'Add item to tags' }).click();
    await field(page, 'tags 1').fill('one');
    await page.getByRole('button', { name: 'Add item to tags' }).click();
    await page.getByRole('button', { name: 'Remove tags 2' }).click();
    await page.getByRole('group', { name: 'shape' }).getByRole('combobox', { name: 'Alternative' }).selectOption('box');
    await field(page, 'x').fill('1.5');
    await field(page, 'y').fill('-2e3');
    // One control: absent, true or false.
    const isLoud = page.getByLabel('isLoud', { exact: true });
    expect(await page.getByRole('checkbox', { name: 'Include isLoud' }).count()).toBe(0);
    expect(await isLoud.getByRole('option').allTextContents()).toEqual(['not sent', 'true', 'false']);
    expect(await isLoud.inputValue()).toBe('');
    await isLoud.selectOption('true');
    await page.getByLabel('colour', { exact: true }).selectOption('green');
    await page.getByRole('checkbox', { name: 'Include days' }).check();
    await page.getByRole('checkbox', { name: 'Sunday' }).check();
    await page.getByRole('checkbox', { name: 'Monday' }).check();
    await page.getByRole('checkbox', { name: 'Include ratio' }).uncheck();
    await page.getByRole('group', { name: 'limit' }).getByRole('combobox').selectOption('integer');
    await page.getByRole('group', { name: 'limit' }).getByRole('textbox').fill('7');
    await page.getByRole('checkbox', { name: 'Include tree' }).check();
    const tree = page.getByRole('group', { name: 'tree', exact: true });
    await tree.getByRole('textbox', { name: 'name' }).fill('root');
    await tree.getByRole('checkbox', { name: 'Include children' }).check();
    await tree.getByRole('button', { name: 'Add item to children' }).click();
    await tree.getByRole('group', { name: 'children 1' }).getByRole('textbox', { name: 'name' }).fill('leaf');
    await page.getByRole('checkbox', { name: 'Include labels' }).check();
    const labels = page.getByRole('group', { name: 'labels' });
    await labels.getByRole('button', { name: 'Add member' }).click();
    await labels.getByRole('textbox', { name: 'Name' }).fill('size');
    await labels.getByRole('textbox', { name: 'size' }).fill('large');
    await page.getByRole('checkbox', { name: 'Include pair' }).check();
    await field(page, 'pair').fill('["a", 1]');
    await field(page, '__proto').fill('kept');
    await callTool(page);
    const sent = await page
      .getByRole('region', { name: 'Result' })
      .getByRole('group', { name: 'Text, which is JSON' })
      .textContent();
    expect(JSON.parse(sent ?? '')).toEqual({
      title: 'Tall',
      count: 3,
      version: 2,
      tags: ['one'],
      shape: { kind: 'box', corner: { x: 1.5, y: -2000 } },
      isLoud: true,
      colour: 'green',
      days: ['Monday', 'Sunday'],
      limit: 7,
      tree: { name: 'root', children: [{ name: 'leaf' }] },
      labels: { size: 'large' },
      pair: ['a', 1],
      __proto: 'kept',
    });
  });

  it('takes the same as JSON, checks it, and sends it all the same if the user insists', async () => {
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const json = field(page, 'JSON');
    expect(JSON.parse(await json.inputValue())).toMatchObject({ shape: { kind: 'box' } });
    await json.fill('{"title":');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/This is not JSON/)
      .waitFor();
    await json.fill('{"count": 1, "version": 2, "tags": ["x"], "shape": {"kind": "circle", "radius": 1}}');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/title It is required/)
      .waitFor();
    await page.getByRole('alert').getByText(/title/).last().waitFor();
    const callAnyway = page.getByRole('button', { name: 'Call anyway' });
    expect(await resultOf(page, () => callAnyway.click())).toContain('title');
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    expect(await field(page, 'radius').inputValue()).toBe('1');
  });

  it('shows structured content once, images, sounds, links and failures', async () => {
    await showTool(page, 'weather');
    await field(page, 'city').fill('Oslo');
    expect(await callTool(page)).toContain('"degrees": 21.5');
    expect(await page.getByRole('region', { name: 'Result' }).locator('pre').count()).toBe(1);
    await showTool(page, 'media');
    await callTool(page);
    const image = page.getByRole('img', { name: /image\/png/ });
    await expect
      .poll(() => image.evaluate((node) => (node as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(16);
    expect(await page.getByLabel('Sound (audio/wav)').getAttribute('src')).toMatch(/^data:audio\/wav;base64,/);
    await page.getByRole('button', { name: 'Read note://first' }).click();
    await page.getByRole('region', { name: 'Contents' }).getByText('The text of the first note').waitFor();
    await showTool(page, 'fail');
    expect(await callTool(page)).toContain('The tool says that it failed.');
  });

  it('shows progress, cancels at the server, and logs what the server says from the level on', async () => {
    await showView(page, 'Log');
    await page.getByRole('combobox', { name: 'Least severe message' }).selectOption('warning');
    await showTool(page, 'wait');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('1 of 4 · a quarter').waitFor();
    expect(await page.getByRole('progressbar', { name: 'Progress' }).getAttribute('value')).toBe('1');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(await resultText(page)).toContain('The server was asked to stop.');
    await showView(page, 'Log');
    await page.getByText('It will take a while').waitFor();
    expect(await page.getByText('inspected-server has started').count()).toBe(1);
  });

  it('lets the user answer, decline and cancel questions of the server', async () => {
    const question = await askedBy(page, 'book');
    await question.getByText('A table for whom?').waitFor();
    await question.getByRole('textbox', { name: 'Your name' }).fill('Ann');
    await question.getByRole('textbox', { name: 'seats' }).fill('20');
    await question.getByRole('button', { name: 'Answer', exact: true }).click();
    await question.getByText('20 is greater than 8.').first().waitFor();
    await question.getByRole('textbox', { name: 'seats' }).fill('2');
    await question.getByRole('button', { name: 'Answer', exact: true }).click();
    const text = await resultText(page);
    expect(text).toContain('"action": "accept"');
    expect(text).toContain('"seats": 2');
    expect(text).toContain('"meal": "soup"');
    for (const [button, action] of [
      ['Decline', 'decline'],
      ['Cancel', 'cancel'],
    ] as const) {
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await question.getByRole('button', { name: button }).click();
      expect(await resultText(page)).toContain(`"action": "${action}"`);
    }
  });

  it('keeps the buttons of a long question in sight', async () => {
    const question = await askedBy(page, 'interview');
    for (const name of ['question1', 'question20']) {
      await question.getByRole('textbox', { name, exact: true }).scrollIntoViewIfNeeded();
      for (const button of ['Answer', 'Decline', 'Cancel']) {
        expect(await isInSight(question.getByRole('button', { name: button, exact: true })), button).toBe(true);
      }
    }
    await question.getByRole('button', { name: 'Decline' }).click();
    expect(await resultText(page)).toContain('decline');
  });

  it('shows the URL that the server wants opened, and opens none by itself', async () => {
    const question = await askedBy(page, 'sign-in');
    await question.getByText('https://example.com/login?x=1').waitFor();
    expect(await question.getByRole('link', { name: 'Open and accept' }).getAttribute('rel')).toBe(
      'noopener noreferrer',
    );
    expect(page.context().pages()).toHaveLength(1);
    await question.getByRole('button', { name: 'Decline' }).click();
    expect(await resultText(page)).toContain('decline');
  });

  it('lets the user write the message of a model, or refuse it', async () => {
    const question = await askedBy(page, 'poem');
    await question.getByText('A poem, please').waitFor();
    await question.getByRole('textbox', { name: /Message of the model, at most 50/ }).fill('Ropes hold ships');
    await question.getByRole('button', { name: 'Answer', exact: true }).click();
    expect(await resultText(page)).toContain('Ropes hold ships');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await question.getByRole('button', { name: 'Decline' }).click();
    expect(await resultText(page)).toContain('User rejected sampling request');
  });

  it('answers a question about roots with those that the user set', async () => {
    await showView(page, 'Server');
    const roots = field(page, 'Folders that a server may work in, one URI a line');
    expect(await roots.inputValue()).toBe(`file://${command.household.workspace}`);
    await roots.fill('file:///srv/one\nfile:///srv/two');
    await page.getByRole('button', { name: 'Set roots' }).click();
    await page.getByRole('status').getByText('The roots are set.').waitFor();
    await showTool(page, 'folders');
    expect(await callTool(page)).toContain('file:///srv/two');
  });

  it('reads resources and templates, completes their values, and notices changes', async () => {
    await showView(page, 'Resources');
    const list = page.getByRole('list', { name: 'resources' });
    await list.getByRole('button', { name: /Notes of an author/ }).click();
    const author = page.getByRole('combobox', { name: 'author' });
    await author.fill('an');
    await page.locator('datalist option[value="anton"]').waitFor({ state: 'attached' });
    expect(
      await page.locator('datalist option').evaluateAll((options) => options.map((each) => each.getAttribute('value'))),
    ).toEqual(['ann', 'anton']);
    await author.fill('ann lee');
    await page.getByRole('combobox', { name: 'year' }).fill('1984');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByText('Notes by ann lee of 1984').waitFor();
    await list.getByRole('button', { name: /The first note/ }).click();
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByRole('button', { name: 'Subscribed' }).waitFor();
    await showTool(page, 'grow');
    expect(await callTool(page)).toContain('grown');
    await page
      .getByRole('list', { name: 'tools' })
      .getByRole('button', { name: /^grown/ })
      .waitFor();
    await showView(page, 'Resources');
    await page.getByText(/changed at \d\d:/).waitFor();
    await page.getByRole('button', { name: 'Subscribed' }).click();
    await page.getByRole('button', { name: 'Subscribe', exact: true }).waitFor();
    await list.getByRole('button', { name: /pixel/ }).click();
    await page.getByRole('region', { name: 'Contents' }).getByRole('img').waitFor();
  });

  it('gets prompts, completes their arguments, and names those that are missing', async () => {
    await showView(page, 'Prompts');
    await page
      .getByRole('list', { name: 'prompts' })
      .getByRole('button', { name: /review/ })
      .click();
    await page.getByRole('button', { name: 'Get prompt' }).click();
    await page.getByText('Fill in language.').waitFor();
    await page.getByRole('combobox', { name: 'language' }).fill('l');
    await page.locator('datalist option[value="lua"]').waitFor({ state: 'attached' });
    await page.getByRole('combobox', { name: 'language' }).fill('lisp');
    await page.getByRole('button', { name: 'Get prompt' }).click();
    await page.getByText('Review this lisp, be kind').waitFor();
  });

  it('sends a raw message and shows the answer to it', async () => {
    await showView(page, 'Raw');
    const message = { jsonrpc: '2.0', id: 'mine', method: 'nowhere' };
    await field(page, 'Message').fill(JSON.stringify(message));
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('region', { name: 'Answer' }).getByText('-32600').waitFor();
  });

  it('shows every message, filters them, and pauses', async () => {
    await showView(page, 'Traffic');
    const messages = page.getByRole('list', { name: 'Messages' });
    await page.getByRole('searchbox', { name: 'Filter messages' }).fill('nowhere');
    await expect
      .poll(() => messages.getByRole('button').allTextContents())
      .toEqual([
        expect.stringMatching(/→sentnowhere id "mine"/),
        expect.stringMatching(/←receivederror nowhere id "mine"/),
      ]);
    await messages.getByRole('button').last().click();
    expect(await messages.getByRole('group', { name: 'Message' }).textContent()).toContain('"code": -32600');
    await page.getByRole('searchbox', { name: 'Filter messages' }).fill('');
    await page.getByRole('button', { name: 'Pause' }).click();
    const before = await page.getByText(/^\d+ messages/).textContent();
    await showView(page, 'Server');
    await page.getByRole('button', { name: 'Ping' }).click();
    await showView(page, 'Traffic');
    await page.getByRole('button', { name: /Resume \(2 new\)/ }).waitFor();
    expect(await page.getByText(/^\d+ messages/).textContent()).toBe(before);
    await page.getByRole('button', { name: /Resume/ }).click();
  });

  it('saves the traffic as a transcript', async () => {
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save transcript' }).click();
    const text = readFileSync(await (await downloading).path(), 'utf8');
    const [session] = parseTranscript(text);
    expect(session?.title).toContain('inspected-server.mjs stdio, 20');
    expect(session?.lines[0]).toMatchObject({
      kind: 'message',
      from: 'client',
      text: expect.stringContaining('server/discover'),
    });
    expect(text).toContain('\n# stderr: inspected-server has started\n');
  });

  it('keeps the session and the calls when it is loaded again', async () => {
    await page.reload();
    await connectedTo(page, 'Inspected Server');
    await showTool(page, 'echo');
    await page.getByText('before the page was reloaded').first().waitFor();
    await page
      .getByRole('button', { name: /^Call again: echo/ })
      .first()
      .click();
    expect(await resultText(page)).toContain('Hello <b>there</b>');
    await showView(page, 'Traffic');
    await page
      .getByText(/server\/discover/)
      .first()
      .waitFor();
  });

  it('calls a tool once when the form is sent twice at once', async () => {
    await showTool(page, 'wait');
    const calls = page.getByRole('region', { name: 'Calls so far' }).getByRole('button', { name: 'Call again: wait' });
    const before = await calls.count();
    await page.locator('form.schema-form').evaluate((form) => {
      const { requestSubmit } = form as unknown as { requestSubmit(): void };
      for (let sent = 0; sent < 2; sent += 1) requestSubmit.call(form);
    });
    await page.getByText('1 of 4 · a quarter').waitFor();
    expect(await calls.count()).toBe(before + 1);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(await resultText(page)).toContain('The server was asked to stop.');
  });

  it('shows what is new in the result of a call that is made again', async () => {
    await showTool(page, 'echo');
    await field(page, 'text').fill('the same');
    await callTool(page);
    await resultOf(page, () => field(page, 'text').press('Enter'));
    await page.getByText(/^The result is the same as at \d/).waitFor();
    await showTool(page, 'visit');
    await callTool(page);
    await page.getByRole('button', { name: /^Call again: visit/ }).click();
    const diff = page.getByRole('region', { name: 'Diff of the result of visit' });
    await diff.waitFor();
    expect(await diff.locator('.cell-removed .line-text').innerText()).toContain('visit 1');
    expect(await diff.locator('.cell-added .changed').innerText()).toBe('2');
    expect((await checkAccessibility(page)).violations).toEqual([]);
  });

  it('disconnects, and connects again with the revision that the user chooses', async () => {
    await showView(page, 'Server');
    await page.getByRole('combobox', { name: 'Revision of MCP for reconnecting' }).selectOption('2025-06-18');
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await page.getByText('2025-06-18 over stdio').waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('Not connected').waitFor();
    await showView(page, 'Traffic');
    await page.getByText(/Connection 2 ended by you/).waitFor();
  });

  it('logs no error and breaks no policy', () => {
    // A canceled request and a raw message are answered with errors by the server, not in the console.
    expect(command.problems).toEqual([]);
  });

  it('ends with Ctrl-C, and the page says so', async () => {
    expect(await command.end()).toBe(130);
    await page.getByText('The connection to hawser inspect has ended.').waitFor();
  });
});
