import { fileURLToPath } from 'node:url';
import { runForReport } from '../load/processes.mjs';
import { median } from '../statistics.mjs';

const program = fileURLToPath(new URL('differs-process.mjs', import.meta.url));
const CONTENDERS = ['hunksOf', 'diff', 'vscode-diff'];
const SHAPES = ['few changes', 'a change every 10 lines', 'all indented', 'fully shuffled'];

/** Our line differ beside those of npm, on 100 000 lines, each in a process of its own. They give up after 10 seconds. */
export async function differs({ quick }) {
  const rows = [];
  for (const shape of SHAPES) {
    for (const contender of CONTENDERS) {
      const reports = [];
      for (let round = 0; round < (quick ? 1 : 5); round++) {
        reports.push(await runForReport(program, 'diff', { shape, contender }));
      }
      const took = median(reports.map((report) => report.took));
      const [{ outcome }] = reports;
      rows.push({ label: `${contender}, 100 000 lines, ${shape}: ${outcome}`, value: took, unit: 'ms' });
    }
  }
  return rows;
}
