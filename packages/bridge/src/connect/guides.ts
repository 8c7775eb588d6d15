import { join } from 'node:path';
import type { Guide, GuideName, Places, ServerEntry } from './guide.ts';

/** How each agent or editor is connected, by the name that `hawser connect` takes. */
export const GUIDES: { readonly [name in GuideName]: (places: Places) => Guide } = {
  claude,
  codex,
  copilot,
  cursor,
  gemini,
  opencode,
  qwen,
  vscode,
  zed,
};

/** The tool that proposes an edit waits for the user, so agents must not give up after a minute. */
const PATIENCE_SECONDS = 3600;

function claude({ workspace, hawser }: Places): Guide {
  return {
    title: 'Claude Code',
    steps: [
      'Start it in the folder that Hawser serves: hawser run claude, or claude --ide, or type /ide in it.',
      'Changes are shown in the editor, and can be accepted in part.',
    ],
    file: {
      path: join(workspace, '.mcp.json'),
      format: 'json',
      settings: [{ at: ['mcpServers', 'hawser'], value: commandAndArgs(hawser) }],
    },
  };
}

function codex({ home, codexHome, hawser }: Places): Guide {
  return {
    title: 'Codex CLI',
    steps: [
      'Type /ide in it, in the folder that Hawser serves: each prompt then has the open files and the selection.',
      'Codex shows its own diffs; only the tools of hawser mcp show changes in the editor.',
    ],
    file: {
      path: join(codexHome || join(home, '.codex'), 'config.toml'),
      format: 'toml',
      settings: [
        {
          at: ['mcp_servers', 'hawser'],
          value: { ...commandAndArgs(hawser), tool_timeout_sec: PATIENCE_SECONDS },
        },
      ],
    },
  };
}

function copilot({ home, copilotHome, hawser }: Places): Guide {
  const local = { type: 'local', ...commandAndArgs(hawser), tools: ['*'] };
  return {
    title: 'GitHub Copilot CLI',
    steps: [
      'Start it in the folder that Hawser serves: it connects by itself if that is its repository, else type /ide.',
      'Changes are shown in the editor. If you accept a part, the editor writes it, and Copilot CLI takes it for a rejection.',
    ],
    file: {
      path: join(copilotHome || join(home, '.copilot'), 'mcp-config.json'),
      format: 'json',
      settings: [{ at: ['mcpServers', 'hawser'], value: local }],
    },
  };
}

function cursor({ workspace, hawser }: Places): Guide {
  const { command, args } = commandAndArgs(hawser);
  return {
    title: 'Cursor',
    steps: [],
    file: {
      path: join(workspace, '.cursor', 'mcp.json'),
      format: 'json',
      settings: [
        // It starts servers in another folder.
        { at: ['mcpServers', 'hawser'], value: { command, args: [...args, '--workspace', `\${workspaceFolder}`] } },
      ],
    },
  };
}

function gemini({ workspace, hawser }: Places): Guide {
  return {
    title: 'Gemini CLI',
    steps: companionSteps('gemini'),
    file: {
      path: join(workspace, '.gemini', 'settings.json'),
      format: 'json',
      settings: companionSettings(hawser),
    },
  };
}

function qwen({ workspace, hawser }: Places): Guide {
  return {
    title: 'Qwen Code',
    steps: companionSteps('qwen'),
    file: {
      path: join(workspace, '.qwen', 'settings.json'),
      format: 'json',
      settings: companionSettings(hawser),
    },
  };
}

function opencode({ workspace, hawser, exists }: Places): Guide {
  const withComments = join(workspace, 'opencode.jsonc');
  return {
    title: 'opencode',
    steps: [
      'Start it in the folder that Hawser serves: it connects by itself, and sees the selection and what you mention.',
      'It shows its own diffs; only the tools of hawser mcp show changes in the editor.',
    ],
    file: {
      path: exists(withComments) ? withComments : join(workspace, 'opencode.json'),
      format: 'json',
      settings: [{ at: ['mcp', 'hawser'], value: { type: 'local', command: [...hawser, 'mcp'], enabled: true } }],
    },
  };
}

function vscode({ workspace, hawser }: Places): Guide {
  return {
    title: 'Visual Studio Code',
    steps: [],
    file: {
      path: join(workspace, '.vscode', 'mcp.json'),
      format: 'json',
      settings: [
        { at: ['servers', 'hawser'], value: { type: 'stdio', ...commandAndArgs(hawser), cwd: `\${workspaceFolder}` } },
      ],
    },
  };
}

function zed({ home, configHome, hawser }: Places): Guide {
  return {
    title: 'Zed',
    steps: [],
    file: {
      path: join(configHome || join(home, '.config'), 'zed', 'settings.json'),
      format: 'json',
      settings: [{ at: ['context_servers', 'hawser'], value: commandAndArgs(hawser) }],
    },
  };
}

function commandAndArgs([command, ...args]: Places['hawser']) {
  return { command, args: [...args, 'mcp'] } satisfies ServerEntry;
}

function companionSteps(command: string): readonly string[] {
  return [
    `Start it in the folder that Hawser serves: hawser run ${command}, or ${command}. The setting ide.enabled makes it connect.`,
    `After a restart of the editor, type /ide enable in it. Changes are shown in the editor, and can be accepted in part.`,
  ];
}

function companionSettings(hawser: Places['hawser']): Guide['file']['settings'] {
  return [
    { at: ['ide', 'enabled'], value: true },
    { at: ['mcpServers', 'hawser'], value: { ...commandAndArgs(hawser), timeout: PATIENCE_SECONDS * 1000 } },
  ];
}
