import type { Result } from '../run-checks.ts';
import { isError, type Report } from './report.ts';

/** JUnit XML, which most CI systems show. What fails no build is reported as skipped: warnings, notes, what a baseline accepts. */
export function junitOf({ target, summary, results }: Report): string {
  const failures = results.filter(isError).length;
  const attributes = `name="hawser check ${xml(target)}" tests="${results.length}" failures="${failures}" skipped="${summary.skipped + summary.failed - failures}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite ${attributes}>`,
    ...results.map(testCase),
    '</testsuite>',
    '',
  ].join('\n');
}

function testCase(result: Result): string {
  const { id, title, status, spec, severity, accepted, seen = '', expected = '', reproduce = '', reason = '' } = result;
  const head = `  <testcase classname="hawser.check" name="${xml(`${id}: ${title}`)}"`;
  if (status === 'passed') return `${head}/>`;
  if (status === 'skipped') return `${head}><skipped message="${xml(reason)}"/></testcase>`;
  if (!isError(result))
    return `${head}><skipped message="${xml(`${accepted ? 'accepted ' : ''}${severity}: ${seen}; expected ${expected} (${spec})`)}"/></testcase>`;
  const text = `seen: ${seen}\nexpected: ${expected}\nspec: ${spec}\nreproduce: ${reproduce}`;
  return `${head}><failure message="${xml(seen)}">${xml(text)}</failure></testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text, and replaces what XML can't hold. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
