import type { CommandSyntax } from '@hawser/command-line/command';
import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { jsonText } from '@hawser/terminal-text/json-text';
import { tableLines } from '@hawser/terminal-text/table';
import { escaped } from '@hawser/terminal-text/wrapping';
import type { Environment } from '../command-line/environment.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { discoveryFindings, folderFindings } from '../diagnosis/folders.ts';
import { gateFindings } from '../diagnosis/gates.ts';
import { programFindings } from '../diagnosis/programs.ts';
import { proxyFinding } from '../diagnosis/proxies.ts';
import { trustFinding } from '../diagnosis/trust.ts';

const OLDEST_NODE = [20, 19] as const;

/** Prints what each check found. Fails if one found a problem. */
export interface DoctorFlags {
  readonly json?: true;
}

export const doctorCommand: CommandSyntax = {
  name: 'doctor',
  description: 'check what Hawser and your agents need on this machine, and say what to do',
  options: [{ name: 'json', description: 'as JSON' }],
  notes: 'Exit codes: 0 nothing is wrong, 1 something is. A program that is missing is not wrong: you may not use it.',
};

export async function doctor({ json }: DoctorFlags, environment: Environment): Promise<void> {
  const [programs, discovery] = await Promise.all([
    programFindings({ ...environment.variables }),
    discoveryFindings(environment),
  ]);
  const findings: Finding[] = [
    nodeFinding(process.versions.node),
    ...programs,
    ...(await gateFindings(environment)),
    trustFinding(environment),
    ...folderFindings(environment),
    ...discovery,
    proxyFinding(environment.variables),
  ];
  const hasProblem = findings.some(({ status }) => status === 'problem');
  if (json) {
    const report = { version: environment.version, status: hasProblem ? 'problem' : 'ok', findings };
    environment.stdout(jsonText(report));
  } else {
    for (const line of inWords(findings, environment.columns)) environment.stdout(line);
  }
  if (hasProblem) throw new CommandFailed(ExitCode.failed, '');
}

export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldest, oldestMinor] = OLDEST_NODE;
  const isOld = major < oldest || (major === oldest && minor < oldestMinor);
  const finding = { id: 'node', title: 'Node.js', detail: version };
  if (!isOld) return { ...finding, status: 'ok' };
  return { ...finding, status: 'problem', advice: `Install Node.js ${OLDEST_NODE.join('.')} or newer.` };
}

function inWords(findings: readonly Finding[], columns: number | undefined): string[] {
  const rows = tableLines(
    findings.map(({ title, status, detail }) => [status, title, detail]),
    columns,
  );
  const isUnused = ({ status }: Finding) => status === 'missing' || status === 'off';
  const advised = findings.filter((finding) => finding.advice !== undefined && !isUnused(finding));
  const unused = findings.filter(isUnused);
  return [
    ...rows,
    ...(advised.length === 0 ? [] : ['', 'What to do:']),
    // One advice may be for many files.
    ...new Set(advised.map(({ title, advice }) => escaped(`  ${title}: ${advice}`))),
    ...(unused.length === 0 ? [] : ['', 'If you want to use what is missing or off:']),
    ...unused.map(({ title, advice }) => escaped(`  ${title}: ${advice}`)),
  ];
}
