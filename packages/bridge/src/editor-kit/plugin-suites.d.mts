import type { EditorCapabilities } from '@hawser/editor-protocol';
import type { RemoteEditor } from '../editors/remote/remote-editor.ts';
import type { EditorCommand } from './live-editor.ts';

export function describePlugin(name: string, command: EditorCommand, capabilities: EditorCapabilities): void;
export function openLiveEditor(
  command: EditorCommand,
  folder: string,
): Promise<{ readonly editor: RemoteEditor; dispose(): Promise<void> }>;
export class MissingHand extends Error {}
export function suitesLeftOut(
  capabilities: EditorCapabilities,
): readonly { readonly name: string; readonly reason: string }[];
