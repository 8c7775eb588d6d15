import { isList, isObject, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { type Check, NotApplicable } from '../check.ts';
import { shown } from '../in-words.ts';
import type { Subject } from '../subject.ts';
import type { Facts, Row } from './builders.ts';
import { expectThat } from './expectations.ts';
import { isFlag, isMeta } from './shapes.ts';
import { calledTools, type ToolCall, toolResults } from './tool-calls.ts';

const STRUCTURED = '2025-11-25 Tools §Structured Content';
const OUTPUT_SCHEMA = '2025-11-25 Tools §Output Schema';
const PROGRESS = '2025-11-25 Progress §Progress Flow';
const TOKEN = 'hawser-progress';

/** Of a check that calls harmless tools. */
const afterCalls = (facts: Facts) => ({ needs: ['sessions', 'tools'] as const, callsTools: true as const, ...facts });

/** A rule for each result of a harmless tool. `flawOf` says what is wrong with one. */
function eachResult({
  expected,
  flawOf,
  ...facts
}: Row<{
  expected: string;
  flawOf: (result: Members, tool: Members, subject: Subject) => string | undefined;
}>): Check {
  return {
    ...afterCalls(facts),
    run: async (subject) => {
      for (const { tool, result } of await toolResults(subject)) {
        const flaw = flawOf(result, tool, subject);
        if (flaw !== undefined) return { seen: `${tool.name}: ${flaw}`, expected };
      }
      return undefined;
    },
  };
}

const progressIn = (messages: readonly Members[]) =>
  messages.flatMap((message) => (message.method === 'notifications/progress' ? [message.params] : []));

/** A rule for the progress that a call reported. */
function eachProgress({
  expected,
  isRight,
  ...facts
}: Row<{ expected: string; isRight: (reports: readonly Members[]) => boolean }>): Check {
  return {
    ...afterCalls(facts),
    run: async (subject) => {
      const reported = (await calledTools(subject, TOKEN)).filter(({ before }) => progressIn(before).length > 0);
      if (reported.length === 0) throw new NotApplicable('No read-only tool reports progress.');
      const wrong = reported.find(({ before }) => !isRight(progressIn(before).map(objectOrEmpty)));
      return wrong && { seen: `${wrong.tool.name}: ${shown(progressIn(wrong.before))}`, expected };
    },
  };
}

export const resultChecks: readonly Check[] = [
  eachResult({
    id: 'tool-is-error',
    title: 'isError is a boolean',
    severity: 'error',
    spec: '2025-11-25 Schema Reference §CallToolResult',
    expected: 'true, false or no member',
    flawOf: ({ isError }) => (isFlag(isError) ? undefined : `isError ${shown(isError)}`),
  }),
  eachResult({
    id: 'tool-result-meta',
    title: 'The _meta of a result is an object whose keys follow the naming rules',
    severity: 'error',
    spec: '2025-11-25 Base Protocol §_meta',
    expected: 'keys that begin and end with a letter or digit, after an optional prefix such as com.example/',
    flawOf: ({ _meta }) => (isMeta(_meta) ? undefined : shown(_meta)),
  }),
  eachResult({
    id: 'tool-structured-type',
    title: 'structuredContent is an object',
    severity: 'error',
    spec: STRUCTURED,
    expected: 'an object, or no member',
    flawOf: ({ structuredContent }) =>
      structuredContent === undefined || isObject(structuredContent) ? undefined : shown(structuredContent),
  }),
  eachResult({
    id: 'tool-structured-valid',
    title: 'structuredContent matches the outputSchema of the tool',
    severity: 'error',
    spec: OUTPUT_SCHEMA,
    expected: 'a value that the schema allows',
    flawOf: ({ structuredContent, isError }, { outputSchema }, { protocolVersion, schemas }) =>
      isError !== true && isObject(outputSchema) && isObject(structuredContent)
        ? schemas.flawOfValue(outputSchema, structuredContent, protocolVersion)
        : undefined,
  }),
  eachResult({
    id: 'tool-structured-missing',
    title: 'A tool with an outputSchema gives structuredContent',
    severity: 'error',
    spec: OUTPUT_SCHEMA,
    expected: 'structuredContent, unless isError is true',
    flawOf: (result, { outputSchema }) =>
      outputSchema !== undefined && result.isError !== true && result.structuredContent === undefined
        ? shown(result)
        : undefined,
  }),
  eachResult({
    id: 'tool-structured-text',
    title: 'structuredContent is repeated as text for older clients',
    severity: 'warning',
    spec: STRUCTURED,
    expected: 'a text in content, too',
    flawOf: ({ structuredContent, content }) =>
      structuredContent !== undefined &&
      !(isList(content) && content.some((block) => memberAt(block, 'type') === 'text'))
        ? shown(content)
        : undefined,
  }),
  {
    id: 'progress-unasked',
    title: 'A call without a progress token reports no progress',
    severity: 'error',
    spec: '2025-11-25 Progress §Behavior Requirements',
    needs: ['sessions', 'tools'],
    callsTools: true,
    run: async (subject) => {
      const calls = await calledTools(subject);
      const reports = calls.flatMap(({ before, after }) => progressIn([...before, ...after]));
      return expectThat(reports.length === 0, () => shown(reports[0]), 'no notifications/progress');
    },
  },
  eachProgress({
    id: 'progress-token',
    title: 'Progress carries the token of its request',
    severity: 'error',
    spec: PROGRESS,
    expected: `the progressToken "${TOKEN}"`,
    isRight: (reports) => reports.every((report) => report.progressToken === TOKEN),
  }),
  eachProgress({
    id: 'progress-increases',
    title: 'Progress increases with each notification',
    severity: 'error',
    spec: PROGRESS,
    expected: 'a larger "progress" each time',
    isRight: (reports) =>
      reports.every((report, index) => index === 0 || Number(report.progress) > Number(reports[index - 1]?.progress)),
  }),
  eachProgress({
    id: 'progress-shape',
    title: 'progress and total are numbers, and message is a string',
    severity: 'error',
    spec: PROGRESS,
    expected: 'a number "progress", and if given a number "total" and a string "message"',
    isRight: (reports) =>
      reports.every(
        (report) =>
          typeof report.progress === 'number' &&
          ['number', 'undefined'].includes(typeof report.total) &&
          ['string', 'undefined'].includes(typeof report.message),
      ),
  }),
  {
    id: 'progress-after-answer',
    title: 'Progress stops with the answer',
    severity: 'error',
    spec: '2025-11-25 Progress §Implementation Notes',
    needs: ['sessions', 'tools'],
    callsTools: true,
    run: async (subject) => {
      const late = (await calledTools(subject, TOKEN)).flatMap(({ after }) => progressIn(after));
      return expectThat(late.length === 0, () => shown(late[0]), 'no progress after the answer');
    },
  },
  {
    id: 'progress-token-zero',
    title: 'The progress token 0 is one',
    severity: 'error',
    spec: PROGRESS,
    needs: ['sessions', 'tools'],
    callsTools: true,
    run: async (subject) => {
      const isReported = ({ before }: ToolCall) => progressIn(before).length > 0;
      const names = (calls: readonly ToolCall[]) => calls.filter(isReported).map(({ tool }) => tool.name);
      const withText = names(await calledTools(subject, TOKEN));
      if (withText.length === 0) throw new NotApplicable('No read-only tool reports progress.');
      const withZero = names(await calledTools(subject, 0));
      const missing = withText.find((name) => !withZero.includes(name));
      return expectThat(
        missing === undefined,
        `${missing} reports progress for a string, but not for 0`,
        'progress for both',
      );
    },
  },
];
