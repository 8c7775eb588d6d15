import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';

export interface PictureOptions {
  readonly columns: number;
  readonly rows: number;
  readonly background: 'dark' | 'light';
}

const require = createRequire(import.meta.url);
const FONT_SIZE = 15;

/** The colours of a usual terminal, so that pictures don't depend on the renderer's own. */
const THEMES = {
  dark: {
    background: '#1e1e1e',
    foreground: '#d4d4d4',
    black: '#000000',
    red: '#cd3131',
    green: '#0dbc79',
    yellow: '#e5e510',
    blue: '#2472c8',
    magenta: '#bc3fbc',
    cyan: '#11a8cd',
    white: '#e5e5e5',
    brightBlack: '#666666',
  },
  light: {
    background: '#ffffff',
    foreground: '#1f2328',
    black: '#000000',
    red: '#cd3131',
    green: '#00bc00',
    yellow: '#949800',
    blue: '#0451a5',
    magenta: '#bc05bc',
    cyan: '#0598bc',
    white: '#555555',
    brightBlack: '#666666',
  },
} as const;

/** What a terminal shows of this output, drawn by xterm.js, which is the terminal of Visual Studio Code, as a PNG. */
export async function pictureOf(browser: Browser, output: string, options: PictureOptions): Promise<Buffer> {
  const { columns, rows, background } = options;
  const page = await browser.newPage({ viewport: { width: 20 + columns * 10, height: 20 + rows * 20 } });
  try {
    await page.setContent('<div id="terminal" style="display: inline-block; padding: 8px"></div>');
    await page.addStyleTag({ content: readFileSync(require.resolve('@xterm/xterm/css/xterm.css'), 'utf8') });
    await page.addScriptTag({ content: readFileSync(require.resolve('@xterm/xterm/lib/xterm.js'), 'utf8') });
    const settings = {
      cols: columns,
      rows,
      theme: THEMES[background],
      fontFamily: 'DejaVu Sans Mono',
      fontSize: FONT_SIZE,
      cursorInactiveStyle: 'none',
      convertEol: true,
    };
    await page.evaluate(
      `new Promise((resolve) => {
        const element = document.getElementById('terminal');
        element.style.background = ${JSON.stringify(THEMES[background].background)};
        const terminal = new Terminal(${JSON.stringify(settings)});
        terminal.open(element);
        terminal.write(${JSON.stringify(output)}, () => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      })`,
    );
    return await page.locator('#terminal').screenshot();
  } finally {
    await page.close();
  }
}
