import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult, ContentBlock, ResourceContents } from '@hawser/mcp';

export interface ShowOptions {
  /** What files are named after. */
  readonly name: string;
  /** Where images, sounds and other bytes are saved. */
  readonly folder: string;
}

/** A tool's result as texts for the user. Bytes are saved to files, and the texts say where. */
export function shownResult({ content, structuredContent }: CallToolResult, options: ShowOptions): string[] {
  const texts = content.map((block) => shownBlock(block, options));
  if (structuredContent === undefined) return texts;
  // Most servers repeat it as a text, for older clients.
  const others = texts.filter((_, index) => !isJsonOf(content[index], structuredContent));
  return [...others, JSON.stringify(structuredContent, undefined, 2)];
}

/** A resource as a text, or the path of the file that its bytes were saved to. */
export function shownContents({ uri, mimeType = '', text, blob }: ResourceContents, options: ShowOptions): string {
  if (blob === undefined) return text ?? '';
  const type = mimeType === '' ? 'bytes' : mimeType;
  return `${type} saved to ${save(blob, nameIn(uri) ?? options.name, extensionOf(mimeType), options)}`;
}

function shownBlock(block: ContentBlock, options: ShowOptions): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `${block.mimeType} saved to ${save(block.data, options.name, extensionOf(block.mimeType), options)}`;
    case 'resource':
      return `${block.resource.uri}\n${shownContents(block.resource, options)}`;
    case 'resource_link':
      return `${block.title ?? block.name}: ${block.uri}`;
    default:
      return JSON.stringify(block, undefined, 2);
  }
}

function isJsonOf(block: ContentBlock | undefined, value: unknown): boolean {
  if (block?.type !== 'text') return false;
  try {
    return isDeepStrictEqual(JSON.parse(block.text), value);
  } catch {
    return false;
  }
}

const MAX_FILES = 10_000;

/** Writes bytes to a new file and returns its path. A file that exists is never replaced. */
function save(base64: string, name: string, extension: string, { folder }: ShowOptions): string {
  mkdirSync(folder, { recursive: true });
  const bytes = Buffer.from(base64, 'base64');
  const stem = safeName(name);
  const end = stem.endsWith(extension) ? '' : extension;
  for (let count = 1; count < MAX_FILES; count += 1) {
    const path = join(folder, count === 1 ? `${stem}${end}` : withCount(`${stem}${end}`, count));
    try {
      writeFileSync(path, bytes, { flag: 'wx' });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error(`${folder} has ${MAX_FILES} files named ${stem} already; remove some`);
}

function withCount(name: string, count: number): string {
  return name.replace(/(\.[^.]*)?$/, (extension) => `-${count}${extension}`);
}

/** The name comes from the server: no folders, no hidden files, nothing that a terminal or shell minds. */
function safeName(name: string): string {
  const safe = name.replace(/[^\w.-]+/g, '-').replace(/^[-.]+/, '');
  return safe.slice(0, 100) || 'result';
}

/** The last part of a URI. */
function nameIn(uri: string): string | undefined {
  const [, name] = /([^/?#]+)\/?(?:[?#].*)?$/.exec(uri) ?? [];
  return name;
}

function extensionOf(mimeType: string): string {
  const [, type = '', subtype = ''] = /^(\w+)\/([\w.+-]+)/.exec(mimeType) ?? [];
  if (EXTENSIONS[`${type}/${subtype}`] !== undefined) return EXTENSIONS[`${type}/${subtype}`] ?? '';
  return type === 'image' || type === 'audio' || type === 'video' ? `.${subtype.replace(/^x-|\+.*$/g, '')}` : '';
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/svg+xml': '.svg',
  'audio/mpeg': '.mp3',
  'application/pdf': '.pdf',
  'application/zip': '.zip',
  'application/gzip': '.gz',
  'application/json': '.json',
  'application/octet-stream': '.bin',
  'text/plain': '.txt',
};
