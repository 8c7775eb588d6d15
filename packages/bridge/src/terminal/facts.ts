/** What views tell about one kind of agent. */
export interface AgentFacts {
  /** As `hawser run` and `hawser connect` take it: `claude`. */
  readonly name: string;
  /** `Claude Code` */
  readonly displayName: string;
  /** What starts it, connected: `hawser run claude`. */
  readonly command: string;
  readonly installed: boolean;
  readonly review: ReviewFacts;
  /** Those that are connected now. */
  readonly connected: readonly ConnectedAgent[];
}

/** Whether the changes of an agent are reviewed before they are written. */
export interface ReviewFacts {
  readonly kind: 'yes' | 'no' | 'depends';
  /** In one sentence, whatever the kind. */
  readonly sentence: string;
  /** What the user does so that they are. */
  readonly todo?: string;
}

/** Review facts of unknown agents. */
export const OTHERS: ReviewFacts = {
  kind: 'depends',
  sentence: 'What it proposes is reviewed here; what it writes by other means is not.',
};

export interface ConnectedAgent {
  /** Unique within the bridge. */
  readonly id: string;
  readonly name: string;
  readonly version?: string | undefined;
}

/** Whether files of some languages are checked, and by what. */
export interface LanguageFacts {
  /** `TypeScript, JavaScript` */
  readonly languages: string;
  /** `tsc --lsp 7.0.2`; undefined if nothing checks them. */
  readonly checkedBy?: string;
  /** Why that does not work. */
  readonly problem?: string;
  /** It is part of a folder that the user has not trusted. */
  readonly isUntrusted?: true;
  /** What would check them: a command that installs it, or the name of a program. */
  readonly install?: string;
}

/** What the user sees of the bridge while nothing waits. */
export interface WorkspaceFacts {
  /** Absolute. */
  readonly folders: readonly string[];
  readonly agents: readonly AgentFacts[];
  /** Undefined if the editor has its own language servers. */
  readonly languages: readonly LanguageFacts[] | undefined;
}
