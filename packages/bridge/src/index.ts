// The library entry: what a program needs to run a bridge of its own, or to add an editor, an agent or a reviewer to one.

export { type Access, type AccessOptions, makeAccess, type Purpose, type Visibility } from './access/access.ts';
export { DENIED_BY_DEFAULT } from './access/deny-list.ts';
export { PathRefused } from './access/paths.ts';
export type { SharedEditor, SharedSelection } from './access/shared-editor.ts';
export type {
  AdapterSettings,
  Agent,
  AgentAdapter,
  AgentClient,
  AgentConnection,
  AgentProgram,
  BridgeIdentity,
  BridgeServices,
  CodeResult,
  Evaluate,
  OpenAdapter,
  OpenEndpoint,
} from './agent.ts';
export { AGENTS } from './agents/agents.ts';
export { type ClaudeCodeOptions, claudeCodeAdapter } from './agents/claude-code/adapter.ts';
export { type CodexOptions, codexAdapter } from './agents/codex/adapter.ts';
export type { CompanionOptions } from './agents/companion/options.ts';
export { type CopilotCliOptions, copilotCliAdapter } from './agents/copilot-cli/adapter.ts';
export { geminiCliAdapter } from './agents/gemini-cli/adapter.ts';
export { type JetbrainsOptions, jetbrainsAdapter } from './agents/jetbrains/adapter.ts';
export { mcpAdapter } from './agents/mcp/adapter.ts';
export { qwenCodeAdapter } from './agents/qwen-code/adapter.ts';
export { type AdapterFailure, type Bridge, type BridgeOptions, openBridge } from './bridge.ts';
export type * from './editor.ts';
export {
  type WorkspaceEditor,
  type WorkspaceEditorOptions,
  workspaceEditor,
} from './editors/workspace/workspace-editor.ts';
export type * from './language-features.ts';
export type { Log, LogDetails } from './log.ts';
export type { Applier, FileWrite } from './review/applier.ts';
export type { ReviewEvent } from './review/audience.ts';
export type { KeptTexts } from './review/kept-texts.ts';
export type { ProposeOptions } from './review/open-set.ts';
export type * from './review/proposal.ts';
export { ReviewQueue, type ReviewQueueOptions } from './review/queue.ts';
export { type DecideResult, type OpenReview, ReviewEnded, type Reviewer } from './review/reviewer.ts';
export { policyReviewer } from './review/reviewers/policy/policy-reviewer.ts';
