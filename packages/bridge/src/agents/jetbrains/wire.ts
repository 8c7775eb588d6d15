import type { Diagnostic } from '../../editor.ts';

/** Diagnostics of this dialect stand at one place, not in a range. */
export function wireDiagnostic(path: string, { message, severity, range }: Diagnostic): object {
  const { line, character } = range.start;
  return { file_path: path, line, column: character, severity: severity.toUpperCase(), message };
}

export const positionSchema = {
  type: 'object',
  properties: { line: { type: 'integer', minimum: 0 }, character: { type: 'integer', minimum: 0 } },
  required: ['line', 'character'],
};

export const rangeSchema = {
  type: 'object',
  properties: { start: positionSchema, end: positionSchema },
  required: ['start', 'end'],
};
