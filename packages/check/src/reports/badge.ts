import { isError, type Report } from './report.ts';

const COLOURS = { good: '#2e7d32', warned: '#b26a00', bad: '#c62828' } as const;

/** A badge as SVG, or for a file named .md as a line of Markdown with the same words. */
export function badgeOf({ summary, results }: Report, format: 'svg' | 'markdown'): string {
  const state = results.some(isError) ? 'bad' : summary.failed > 0 ? 'warned' : 'good';
  const value = `${summary.passed} of ${summary.passed + summary.failed} passed`;
  const colour = COLOURS[state];
  return format === 'svg' ? svg('MCP check', value, colour) : markdown('MCP check', value, colour);
}

function markdown(label: string, value: string, colour: string): string {
  const part = (text: string) => encodeURIComponent(text.replaceAll('-', '--').replaceAll('_', '__'));
  return `![${label}: ${value}](https://img.shields.io/badge/${part(label)}-${part(value)}-${colour.slice(1)})\n`;
}

const CHARACTER_WIDTH = 6.6;
const PADDING = 6;

function svg(label: string, value: string, colour: string): string {
  const widthOf = (text: string) => Math.round(text.length * CHARACTER_WIDTH + 2 * PADDING);
  const [left, right] = [widthOf(label), widthOf(value)];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${value}">
<title>${label}: ${value}</title>
<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="${PADDING}" y="14">${label}</text><text x="${left + PADDING}" y="14">${value}</text>
</g></svg>
`;
}
