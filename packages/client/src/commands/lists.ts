import type { CommandSyntax } from '@hawser/command-line/command';
import { jsonText } from '@hawser/terminal-text/json-text';
import { tableLines } from '@hawser/terminal-text/table';
import type { ClientEnvironment } from '../client-environment.ts';
import { signatureOf } from '../describe-schema.ts';
import { describeTarget } from '../target.ts';
import { type ClientFlags, withTargetOptions } from './target-options.ts';
import { withSession } from './with-session.ts';

const JSON_OPTION = { name: 'json', description: 'as JSON, as the server sent it' };

const listing = (name: string, description: string, more: Partial<CommandSyntax> = {}) =>
  withTargetOptions({ name, description, options: [JSON_OPTION], ...more });

export const infoCommand = listing('info', 'show what an MCP server is and what it can do');
export const toolsCommand = listing('tools', 'list the tools of an MCP server', {
  notes: 'A ? marks an argument that may be left out; hawser call TOOL --describe explains each.',
});
export const resourcesCommand = listing('resources', 'list the resources of an MCP server');
export const promptsCommand = listing('prompts', 'list the prompts of an MCP server');

type Rows = readonly (readonly string[])[];

export function info(flags: ClientFlags, environment: ClientEnvironment): Promise<void> {
  return withSession(flags, environment, async ({ session, target }) => {
    const { protocolVersion, isStateless, serverInfo, serverCapabilities: capabilities, instructions } = session;
    const facts = {
      target: describeTarget(target),
      protocolVersion,
      isStateless,
      serverInfo,
      capabilities,
      ...(instructions !== undefined && { instructions }),
    };
    const { name = 'unnamed', version = '', title, description, websiteUrl } = serverInfo ?? {};
    print(flags, environment, facts, [
      ['server', [title === undefined || title === name ? name : `${title} (${name})`, version].join(' ')],
      ...(description === undefined ? [] : [['', description]]),
      ...(websiteUrl === undefined ? [] : [['website', websiteUrl]]),
      ['target', facts.target],
      ['protocol', `${protocolVersion}${isStateless ? ', stateless' : ''}`],
      ['offers', capabilitiesInWords(capabilities) || 'nothing'],
      ...(instructions?.split('\n') ?? []).map((line, index) => [index === 0 ? 'instructions' : '', line]),
    ]);
  });
}

export function tools(flags: ClientFlags, environment: ClientEnvironment): Promise<void> {
  return withSession(flags, environment, async ({ session, signal }) => {
    const listed = session.serverCapabilities.tools === undefined ? [] : await session.listTools({ signal });
    const rows = listed.map(({ name, inputSchema, title, annotations, description }) => [
      name,
      signatureOf(inputSchema),
      description ?? title ?? annotations?.title ?? '',
    ]);
    print(flags, environment, { tools: listed }, headed(['TOOL', 'ARGUMENTS', 'DESCRIPTION'], rows), 'tools');
  });
}

export function resources(flags: ClientFlags, environment: ClientEnvironment): Promise<void> {
  return withSession(flags, environment, async ({ session, signal }) => {
    const hasAny = session.serverCapabilities.resources !== undefined;
    const listed = hasAny ? await session.listResources({ signal }) : [];
    const templates = hasAny ? await session.listResourceTemplates({ signal }) : [];
    const rows = [
      ...listed.map(({ uri, mimeType, name, title, description }) => [
        uri,
        mimeType ?? '',
        description ?? title ?? name,
      ]),
      ...templates.map(({ uriTemplate, mimeType, name, title, description }) => [
        uriTemplate,
        mimeType ?? '',
        description ?? title ?? name,
      ]),
    ];
    const facts = { resources: listed, resourceTemplates: templates };
    print(flags, environment, facts, headed(['RESOURCE', 'TYPE', 'DESCRIPTION'], rows), 'resources');
  });
}

export function prompts(flags: ClientFlags, environment: ClientEnvironment): Promise<void> {
  return withSession(flags, environment, async ({ session, signal }) => {
    const listed = session.serverCapabilities.prompts === undefined ? [] : await session.listPrompts({ signal });
    const rows = listed.map(({ name, arguments: given = [], title, description }) => [
      name,
      given.map((each) => (each.required ? each.name : `${each.name}?`)).join(' '),
      description ?? title ?? '',
    ]);
    print(flags, environment, { prompts: listed }, headed(['PROMPT', 'ARGUMENTS', 'DESCRIPTION'], rows), 'prompts');
  });
}

function headed(heading: readonly string[], rows: Rows): Rows {
  return rows.length === 0 ? [] : [heading, ...rows];
}

/** `none` names what there is none of. */
function print({ json }: ClientFlags, environment: ClientEnvironment, facts: object, rows: Rows, none = ''): void {
  if (json) environment.stdout(jsonText(facts));
  else if (rows.length === 0) environment.stdout(`The server has no ${none}.`);
  else for (const line of tableLines(rows, environment.columns)) environment.stdout(line);
}

/** `tools (listChanged), logging`. */
function capabilitiesInWords(capabilities: object): string {
  return Object.entries(capabilities)
    .map(([name, value]) => {
      const details = Object.entries((value ?? {}) as object).filter(([, detail]) => detail !== false);
      return details.length === 0 ? name : `${name} (${details.map(([detail]) => detail).join(', ')})`;
    })
    .join(', ');
}
