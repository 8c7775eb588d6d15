import type { Diagnostic, Range, Selection, Severity } from '../../editor.ts';

/** Claude Code writes and compares file URLs without percent-encoding. */
export function fileUrl(path: string): string {
  return `file://${path}`;
}

export interface WireSelection {
  readonly text: string;
  readonly filePath?: string;
  readonly fileUrl?: string;
  readonly selection: Range & { readonly isEmpty: boolean };
}

/** Lines as the agent counts them. */
export interface WireMention {
  readonly filePath: string;
  readonly lineStart?: number;
  readonly lineEnd?: number;
}

export function wireSelection({ path, text, range }: Selection): WireSelection {
  return { text, filePath: path, fileUrl: fileUrl(path), selection: { ...range, isEmpty: text === '' } };
}

const NOWHERE = { line: 0, character: 0 };

/** Without a file, it clears what the agent shows. */
export const NO_SELECTION: WireSelection = { text: '', selection: { start: NOWHERE, end: NOWHERE, isEmpty: true } };

const SEVERITIES: { readonly [severity in Severity]: string } = {
  error: 'Error',
  warning: 'Warning',
  info: 'Info',
  hint: 'Hint',
};

export function wireDiagnostic({ message, severity, range, source, code }: Diagnostic): object {
  return {
    message,
    severity: SEVERITIES[severity],
    range,
    ...(source !== undefined && { source }),
    ...(code !== undefined && { code: String(code) }),
  };
}
