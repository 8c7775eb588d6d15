import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A project in the IDE under test, and the hands of its user: dev.hawser.jetbrains.TestStarter obeys. */
export class IdeProject {
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<string>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  }

  /** The plugin starts `command` in place of `hawser editor`. */
  static async open(folder: string, command: readonly string[], variables: object): Promise<IdeProject> {
    const socket = connect(Number(process.env.HAWSER_IDE_PORT), '127.0.0.1');
    await once(socket, 'connect');
    const project = new IdeProject(socket);
    await project.act('open', { folder, command, variables });
    return project;
  }

  async act(what: string, more: object = {}): Promise<Record<string, unknown>> {
    this.#socket.write(`${JSON.stringify({ do: what, ...more })}\n`);
    const { value } = await this.#lines.next();
    const answer = JSON.parse(value);
    if (answer.problem !== undefined) throw new Error(answer.problem);
    return answer;
  }

  /** Waits for the window of a proposal: a screen sends no events. */
  async window(): Promise<{ title: string; text: string; remarks: string }> {
    for (;;) {
      const { title, text, remarks } = await this.act('window');
      if (title !== undefined) return { title: String(title), text: String(text), remarks: String(remarks) };
    }
  }

  async close(): Promise<void> {
    await this.act('close');
    this.#socket.destroy();
  }
}
