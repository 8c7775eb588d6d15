import type { AgentAdapter, OpenAdapter } from './agent.ts';
import type { Editor } from './editor.ts';

export interface Bridge {
  readonly doors: readonly OpenAdapter[];
  close(): Promise<void>;
}

/** Opens every door on one editor. When one cannot be opened, those that were are closed again. */
export async function openBridge(editor: Editor, doors: readonly AgentAdapter[]): Promise<Bridge> {
  const open: OpenAdapter[] = [];
  try {
    for (const door of doors) open.push(await door.open(editor));
  } catch (error) {
    await Promise.all(open.map((door) => door.close()));
    throw error;
  }
  return {
    doors: open,
    close: async () => {
      await Promise.all(open.map((door) => door.close()));
      await editor.close();
    },
  };
}
