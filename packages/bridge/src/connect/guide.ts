/** How one agent or editor is connected. */
export interface Guide {
  /** What the user does for the agent's own connection to the editor, a sentence each; empty if it has none. */
  readonly steps: readonly string[];
  /** Its configuration file, in which `hawser mcp` becomes one of its MCP servers. */
  readonly file: ConfigFile;
}

export interface ConfigFile {
  readonly path: string;
  readonly format: 'json' | 'toml';
  /** What the file has to contain. */
  readonly settings: readonly Setting[];
}

export interface Setting {
  /** Names from the outermost object inwards. */
  readonly at: readonly [string, ...string[]];
  /** An object's members are set one by one; others that it has stay. */
  readonly value: string | boolean | number | readonly string[] | ServerEntry;
}

/** An MCP server in the words of an agent. */
export interface ServerEntry {
  readonly [member: string]: string | boolean | number | readonly string[];
}

/** Where things are on this machine. */
export interface GuidePlaces {
  readonly workspace: string;
  readonly home: string;
  /** The words that start `hawser`. */
  readonly hawser: readonly [string, ...string[]];
  /** Of the environment; some agents have one for their folder. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Whether a file exists. */
  readonly exists: (path: string) => boolean;
}
