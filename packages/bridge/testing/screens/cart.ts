import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Agent } from '../agent.ts';
import { writeProgram } from '../language-programs.ts';
import { Household, openDiff, PROGRAM } from '../program.ts';
import { shellLine, TmuxScreen } from '../tmux.ts';

const OLD = `import { readFile } from 'node:fs/promises';

/** One line of a cart. */
export interface Item {
  readonly name: string;
  readonly cents: number;
  readonly count: number;
}

const FREE_SHIPPING_CENTS = 5000;
const SHIPPING_CENTS = 495;

export async function loadCart(path: string): Promise<Item[]> {
  const text = await readFile(path, 'utf8');
  return JSON.parse(text) as Item[];
}

export class Cart {
  readonly items: Item[] = [];

  add(item: Item): void {
    this.items.push(item);
  }

  remove(name: string): void {
    const index = this.items.findIndex((item) => item.name === name);
    this.items.splice(index, 1);
  }

  /** What all items cost, without shipping. */
  get subtotal(): number {
    let sum = 0;
    for (const item of this.items) {
      sum += item.cents;
    }
    return sum;
  }

  get shipping(): number {
    return this.subtotal >= FREE_SHIPPING_CENTS ? 0 : SHIPPING_CENTS;
  }

  get total(): number {
    return this.subtotal + this.shipping;
  }
}

export function describe(cart: Cart): string {
  const lines = cart.items.map((item) => \`\${item.count} x \${item.name}\`);
  return lines.join('\\n') + '\\n' + cart.total / 100 + ' EUR';
}
`;

const [SPLICE, SUM, JOIN] = [
  '    this.items.splice(index, 1);',
  `    let sum = 0;
    for (const item of this.items) {
      sum += item.cents;
    }
    return sum;`,
  `  return lines.join('\\n') + '\\n' + cart.total / 100 + ' EUR';`,
] as const;

const NEW = OLD.replace(
  SPLICE,
  () => `    if (index === -1) throw new Error(\`Not in the cart: \${name}\`);\n${SPLICE}`,
)
  .replace(SUM, () => '    return this.items.reduce((sum, { cents, count }) => sum + cents * count, 0);')
  .replace(JOIN, () => `  return \`\${lines.join('\\n')}\\n\${(cart.total / 100).toFixed(2)} EUR\`;`);

/** What the agent calls its change. */
export const TAB = 'Count the items';

/** How a terminal is set up. */
export interface CartTerminal {
  readonly columns: number;
  readonly rows: number;
  readonly background: 'dark' | 'light';
  /** As in HAWSER_COLORS. */
  readonly colours?: '16' | '256' | 'truecolor';
}

/** Hawser in a terminal, in a folder with a shop, and an agent that wants to change it. For pictures and tests of screens. */
export class CartStage {
  readonly house = new Household();
  readonly file = this.#write('src/cart.ts', OLD);
  readonly proposed = NEW;

  constructor() {
    // Two agents are installed.
    const bin = join(this.house.home, 'bin');
    for (const agent of ['claude', 'codex']) writeProgram(join(bin, agent), '');
    this.house.moreEnv.PATH = `${bin}:${this.house.env.PATH}`;
  }

  /** `hawser` in a terminal. */
  async open({ columns, rows, background, colours = 'truecolor' }: CartTerminal): Promise<TmuxScreen> {
    const { home, workspace } = this.house;
    return await TmuxScreen.open(shellLine([process.execPath, PROGRAM, 'serve']), {
      folder: home,
      env: { ...this.house.env, HAWSER_COLORS: colours },
      cwd: workspace,
      columns,
      rows,
      // It tells the program, which asks for it.
      background: background === 'dark' ? '#1e1e1e' : '#ffffff',
    });
  }

  /** An agent that has found the bridge, once that listens. */
  async agent(): Promise<Agent> {
    return await this.house.agent(await this.house.lineOf('claude-code'));
  }

  /** The agent's request, which ends with the stage. */
  propose(agent: Agent): void {
    openDiff(agent, this.file, NEW, TAB).catch(() => {});
  }

  #write(name: string, text: string): string {
    const path = join(this.house.workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }
}
