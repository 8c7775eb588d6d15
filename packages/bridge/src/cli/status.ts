import { jsonText } from '@hawser/terminal-text/json-text';
import { escaped } from '@hawser/terminal-text/wrapping';
import { reviewOfClient } from '../agents/agent-reviews.ts';
import { type BridgeChoice, withBridgeOptions } from '../command-line/bridge-choice.ts';
import type { Environment } from '../command-line/environment.ts';
import { withBridge } from '../command-line/running-bridge.ts';
import type { ClientStatus, Shared, Status } from '../control/calls.ts';
import type { ServedPage } from '../control/pages.ts';
import type { LanguageProgram } from '../editor.ts';
import { ruledInWords } from '../review/ruled-in-words.ts';

export interface StatusFlags extends BridgeChoice {
  readonly json?: true;
}

export const statusCommand = withBridgeOptions({
  name: 'status',
  description: 'show what a bridge shares, and with whom',
  options: [{ name: 'json', description: 'as JSON' }],
});

export function status({ json, ...choice }: StatusFlags, environment: Environment): Promise<void> {
  return withBridge(choice, environment, async (bridge) => {
    const found = await bridge.status();
    if (json) environment.stdout(jsonText(found));
    else for (const line of inWords(found)) environment.stdout(escaped(line));
  });
}

function inWords(status: Status): string[] {
  const {
    pid,
    version,
    editor,
    folders,
    paused,
    agents,
    failures,
    languagePrograms,
    shared,
    proposals,
    reviewers,
    kept,
    ruled,
  } = status;
  return [
    `hawser ${version}, process ${pid}, editor ${editor}${paused ? ', paused' : ''}`,
    `workspace  ${folders.join(', ')}`,
    ...agents.flatMap(({ name, endpoints, clients }) => [
      `agents     ${name} at ${endpoints.join(' ')}`,
      ...clients.flatMap((client) => clientInWords(name, client, status.gates)),
    ]),
    ...(failures ?? []).map(({ name, problem }) => `agents     ${name} can't connect: ${problem}`),
    ...(languagePrograms?.length === 0 ? ['languages  no language servers found'] : []),
    ...(languagePrograms ?? []).map((program) => `languages  ${programInWords(program)}`),
    ...(status.uncheckedLanguages ?? []).map(
      ({ title, install }) => `languages  ${title} is not checked: ${install} adds a language server`,
    ),
    `shared     ${sharedInWords(shared)}`,
    ...(kept ?? []).map((file) => `kept       a version of yours that is not in its file: ${file}`),
    ...(ruled === undefined ? [] : [`rules      decided ${ruled.count} times; last: ${ruledInWords(ruled)}`]),
    ...(status.web ?? []).map((page) => `page       ${webInWords(page)}`),
    `proposals  ${proposals} open, reviewed by ${reviewers.join(', ') || 'hawser review'}`,
  ];
}

function webInWords({ url, pages, isOpenToNetwork, isEncrypted }: ServedPage): string {
  const open = isOpenToNetwork ? `, open to the network${isEncrypted ? '' : ', not encrypted'}` : '';
  return `${url} (${pages} open${open}); hawser review --web makes a link`;
}

function clientInWords(adapter: string, client: ClientStatus, gates: Status['gates']): string[] {
  const { sentence, todo, kind } = reviewOfClient(adapter, client, gates);
  return [
    `client     ${named(client.name, client.version)} (${client.state})`,
    `reviewed   ${kind === 'depends' ? 'it depends' : kind}: ${sentence}${todo === undefined ? '' : ` ${todo}`}`,
  ];
}

function named(client: string, version: string | undefined): string {
  return version === undefined ? client : `${client} ${version}`;
}

/** For example `tsc --lsp 7.0.2 (running) for typescript in /project, from /project/node_modules/.bin/tsc`. */
function programInWords({ name, version, state, problem, languages, path, folder }: LanguageProgram): string {
  const files = languages.length === 0 ? 'all files' : languages.join(', ');
  const words = [name, version, `(${state})`, 'for', files, 'in', `${folder},`, 'from', path];
  const said = words.filter((word) => word !== undefined).join(' ');
  return problem === undefined ? said : `${said}: ${problem.split('\n')[0]}`;
}

function sharedInWords(shared: Shared): string {
  switch (shared.kind) {
    case 'nothing':
      return `nothing: ${shared.reason}`;
    case 'file':
      return shared.path;
    case 'selection':
      return `${shared.path}, lines ${shared.first + 1} to ${shared.last + 1} selected`;
  }
}
