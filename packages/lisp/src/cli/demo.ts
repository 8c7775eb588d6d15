import { memoryPair } from '@hawser/mcp';
import { Client } from '@hawser/mcp/client';
import type { Environment } from './environment.ts';
import { type ServeOptions, serve } from './serve.ts';

interface Step {
  /** For the reader, before the call. */
  readonly title: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The example of README.md. */
const STEPS: readonly Step[] = [
  {
    title: 'An agent defines things. They stay in its session.',
    tool: 'evaluate-lisp',
    args: {
      code: `(defpackage :shop (:use :cl))
(in-package :shop)
(declaim (optimize (debug 3)))
(defstruct item name price)
(defun total (items)
  (let ((sum 0))
    (dolist (item items sum)
      (incf sum (item-price item)))))`,
    },
  },
  {
    title: 'It makes a mistake, and keeps the error open.',
    tool: 'evaluate-lisp',
    args: {
      code: `(total (list (make-item :name "tea" :price 3)
             (make-item :name "cup" :price "8")))`,
      'on-error': 'break',
    },
  },
  {
    title: 'It looks into the frame.',
    tool: 'debugger',
    args: { action: 'eval-in-frame', frame: 0, code: '(item-name item)' },
  },
  { title: 'It leaves the debugger.', tool: 'debugger', args: { action: 'abort' } },
  {
    title: 'It writes an endless loop, which costs no more than its timeout.',
    tool: 'evaluate-lisp',
    args: { code: '(loop)', timeout: 1 },
  },
];

/** Shows what an agent and the server say to each other, with a real Lisp. `pause` lets a reader follow. */
export async function runDemo(
  options: ServeOptions,
  environment: Environment,
  write: (text: string) => void,
  pause: () => Promise<void>,
): Promise<void> {
  const [ours, theirs] = memoryPair();
  const serving = serve(ours, options, environment);
  try {
    const client = new Client({ name: 'demo', version: environment.version });
    const session = await client.connect(theirs);
    for (const { title, tool, args } of STEPS) {
      write(`; ${title}\n${callText(tool, args)}\n\n`);
      await pause();
      const { content } = await session.callTool(tool, args);
      const [answer] = content;
      write(`${answer?.type === 'text' ? answer.text : ''}\n\n`);
      await pause();
    }
  } finally {
    await serving.close();
    await serving.ended;
  }
}

function callText(tool: string, args: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(args).map(([name, value]) => `  ${name}: ${indented(String(value), name.length + 4)}`);
  return [`> ${tool}`, ...lines].join('\n');
}

function indented(text: string, columns: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(columns)}`);
}
