import { pathToFileURL } from 'node:url';
import { defineNotification } from '@hawser/mcp';
import type { Diagnostic, Range, Selection } from '../../editor.ts';

export interface WireSelection {
  readonly text: string;
  readonly filePath: string;
  readonly fileUrl: string;
  readonly selection: Range & { readonly isEmpty: boolean };
}

export interface WireMention {
  readonly filePath: string;
  readonly fileUrl: string;
  readonly selection: Range | null;
  readonly selectedText: string | null;
}

export const selectionChanged = defineNotification<WireSelection>('selection_changed');
/** Puts `@file` into the prompt. */
export const addFileReference = defineNotification<WireMention>('add_file_reference');
/** Puts `@file:3-4` into the prompt. */
export const addSelection = defineNotification<WireMention>('add_selection');

export function fileUrl(path: string): string {
  return pathToFileURL(path).href;
}

export function wireSelection({ path, text, range }: Selection): WireSelection {
  return { text, filePath: path, fileUrl: fileUrl(path), selection: { ...range, isEmpty: text === '' } };
}

const NOWHERE = { line: 0, character: 0 };

/** Clears what the agent shows. It ignores a notification without these texts. */
export const NO_SELECTION: WireSelection = {
  text: '',
  filePath: '',
  fileUrl: '',
  selection: { start: NOWHERE, end: NOWHERE, isEmpty: true },
};

/** The agent uses the lines alone. */
export function wireMention(path: string, lines?: { readonly first: number; readonly last: number }): WireMention {
  const selection = lines && {
    start: { line: lines.first, character: 0 },
    end: { line: lines.last, character: 0 },
  };
  return { filePath: path, fileUrl: fileUrl(path), selection: selection ?? null, selectedText: null };
}

export function wireDiagnostic({ message, severity, range, source, code }: Diagnostic): object {
  return {
    message,
    severity,
    range,
    ...(source !== undefined && { source }),
    ...(code !== undefined && { code: String(code) }),
  };
}
