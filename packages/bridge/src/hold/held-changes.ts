import { readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { decode } from '../encoding.ts';
import { readRegularFile } from '../regular-file.ts';
import type { EntryWrite } from '../review/applier.ts';
import type { ProposedChange } from '../review/proposal.ts';
import type { Difference, Differences } from './changes.ts';
import { changingMode, replacing } from './entries.ts';
import type { Layer } from './layer.ts';

/** One change of a command that the user decides on. */
export interface HeldChange {
  readonly name: string;
  readonly change: Pick<ProposedChange, 'path' | 'oldText' | 'newText' | 'title' | 'effect' | 'advice'>;
  readonly entry?: EntryWrite;
}

/** More are decided on as one. */
const MAX_CHANGES = 200;
const MIB = 1024 * 1024;
const MAX_TEXT_BYTES = 4 * MIB;
const MAX_ALL_BYTES = 32 * MIB;
const LISTED = 500;
const DEFAULT_MODE = 0o666;

/** What the user is shown of a command's changes. Texts of files that are not shared with agents are not. */
export async function heldChanges(
  layer: Layer,
  { files, isCut }: Differences,
  isShared: (path: string) => Promise<boolean>,
): Promise<readonly HeldChange[]> {
  const isFew = !isCut && files.length <= MAX_CHANGES;
  const sizes = files.reduce((sum, { before, after }) => sum + (before?.size ?? 0) + (after?.size ?? 0), 0);
  if (!isFew || sizes > MAX_ALL_BYTES) return files.length === 0 ? [] : [asOne(layer, files)];
  const changes: HeldChange[] = [];
  for (const difference of files) {
    const found = await heldChange(layer, difference, isShared);
    if (found !== undefined) changes.push(found);
  }
  return changes;
}

async function heldChange(
  layer: Layer,
  difference: Difference,
  isShared: (path: string) => Promise<boolean>,
): Promise<HeldChange | undefined> {
  const { name, before, after } = difference;
  const path = join(layer.project, name);
  const held = join(layer.folder, 'up', name);
  const line = (text: string, entry: EntryWrite = replacing(layer, difference)): HeldChange => ({
    name,
    change: { path: layer.project, oldText: undefined, newText: text, title: `Change of ${name}`, effect: 'command' },
    entry,
  });
  if (after !== undefined && !after.isFile() && !after.isSymbolicLink() && !after.isDirectory()) return undefined;
  if (after?.isSymbolicLink() === true) return line(`ln -sfn ${readlinkSync(held)} ${name}`);
  if (after === undefined && before?.isFile() !== true) return line(`rm ${name}`);
  const isFile = (stats: Stats | undefined) => stats === undefined || stats.isFile();
  if (!isFile(before) || !isFile(after)) return line(`rm -r ${name}, and what is in its place now`);
  const [old, now] = [await bytesOf(path, before), await bytesOf(held, after)];
  const mode = modeOf(before, after);
  const chmod = mode === undefined ? undefined : changingMode(layer, name, mode);
  if (old !== undefined && now !== undefined && old !== 'large' && now !== 'large' && old.equals(now)) {
    return chmod && line(`chmod ${mode?.toString(8)} ${name}`, chmod);
  }
  const [oldText, newText] = [textIn(old), textIn(now)];
  const sizes = `${before?.size ?? 0} → ${after?.size ?? 0} bytes`;
  const verb = after === undefined ? 'rm' : before === undefined ? 'add' : 'replace';
  if (oldText === 'not text' || newText === 'not text') return line(`${verb} ${name} (not shown as text: ${sizes})`);
  if (!(await isShared(path))) return line(`${verb} ${name} (hidden from agents: ${sizes})`);
  // The queue keeps a file's line ends and its encoding, and makes new files in UTF-8.
  if (newText !== undefined && !isAlike(oldText ?? { text: '', encoding: 'utf8' }, newText)) {
    return line(`${verb} ${name} (with other line ends or another encoding: ${sizes})`);
  }
  const isLate = before !== undefined && before.ctimeMs > layer.made;
  return {
    name,
    change: {
      path,
      oldText: oldText?.text,
      newText: newText?.text ?? '',
      title: chmod === undefined ? name : `${name} (mode ${mode?.toString(8)})`,
      ...(after === undefined && { effect: 'delete' as const }),
      ...(isLate && { advice: 'This file has changed since the command began; the command may not have seen that.' }),
    },
    ...(chmod && { entry: chmod }),
  };
}

function asOne(layer: Layer, files: readonly Difference[]): HeldChange {
  const lines = files.slice(0, LISTED).map(({ name, before, after }) => {
    const verb = after === undefined ? 'rm' : before === undefined ? 'add' : 'change';
    return `${verb} ${name}`;
  });
  const more = files.length > LISTED ? [`and ${files.length - LISTED} more`] : [];
  const entries = files.map((difference) => replacing(layer, difference));
  const title = `Changes of ${files.length} files`;
  const newText = [...lines, ...more].join('\n');
  const entry = { put: () => putAll(entries) };
  return { name: title, change: { path: layer.project, oldText: undefined, newText, title, effect: 'command' }, entry };
}

async function putAll(entries: readonly EntryWrite[]): Promise<() => Promise<void>> {
  const done: (() => Promise<void>)[] = [];
  const undo = async () => {
    for (const each of done.splice(0).reverse()) await each();
  };
  try {
    for (const entry of entries) done.push(await entry.put());
  } catch (error) {
    await undo();
    throw error;
  }
  return undo;
}

/** Undefined if the mode is what a file gets anyway. */
function modeOf(before: Stats | undefined, after: Stats | undefined): number | undefined {
  if (after === undefined) return undefined;
  const [was, is] = [before === undefined ? DEFAULT_MODE & ~process.umask() : before.mode & 0o777, after.mode & 0o777];
  return was === is ? undefined : is;
}

type Bytes = Buffer | 'large' | undefined;

async function bytesOf(path: string, found: Stats | undefined): Promise<Bytes> {
  if (found === undefined) return undefined;
  return found.size > MAX_TEXT_BYTES ? 'large' : await readRegularFile(path, MAX_TEXT_BYTES);
}

type Text = { readonly text: string; readonly encoding: string };

function textIn(bytes: Bytes): Text | 'not text' | undefined {
  if (bytes === undefined) return undefined;
  return bytes === 'large' || bytes.includes(0) ? 'not text' : decode(bytes);
}

function isAlike(one: Text, other: Text): boolean {
  const isCrlf = ({ text }: Text) => text.includes('\r\n');
  return one.encoding === other.encoding && (!isCrlf(one) || isCrlf(other));
}
