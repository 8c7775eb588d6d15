import type { Answer } from './session.ts';

const MAX_SHOWN_CHARS = 300;

export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}

export function inWords(answer: Answer): string {
  switch (answer.kind) {
    case 'result':
      return `the result ${shown(answer.message.result)}`;
    case 'error':
      return `the error ${shown(answer.message.error)}`;
    case 'status':
      return `HTTP ${answer.status} without an answer to the request`;
    case 'silence':
      return 'no answer';
    case 'end':
      return answer.how;
  }
}
