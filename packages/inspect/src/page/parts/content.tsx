import type { ContentBlock, ResourceContents } from '@hawser/mcp';
import { prettyJson, sizeInWords } from '@hawser/page-parts/visible-text';
import { Chip } from './basics.tsx';
import { CopyButton, Json, JsonText, LongText, Name } from './text.tsx';

export interface ContentProps {
  readonly blocks: readonly ContentBlock[];
  /** Opens a resource that a block links to. */
  readonly openResource: (uri: string) => void;
}

export function Content({ blocks, openResource }: ContentProps) {
  return (
    <div class="content">
      {blocks.map((block, index) => (
        <Block key={index} block={block} openResource={openResource} />
      ))}
    </div>
  );
}

function Block({
  block,
  openResource,
}: {
  readonly block: ContentBlock;
  readonly openResource: (uri: string) => void;
}) {
  switch (block.type) {
    case 'text':
      return <TextBlock text={block.text} />;
    case 'image':
    case 'audio':
      return <Media kind={block.type} data={block.data} mimeType={block.mimeType} />;
    case 'resource':
      return <ResourceBlock contents={block.resource} />;
    case 'resource_link':
      return (
        <div class="block">
          <p class="block-head">
            <Chip>link</Chip> <Name text={block.title ?? block.name} />
          </p>
          {block.description === undefined ? null : <LongText text={block.description} />}
          <button type="button" class="link wrap" onClick={() => openResource(block.uri)}>
            Read <Name text={block.uri} />
          </button>
        </div>
      );
    default:
      return <Json value={block} label="Content of an unknown kind" />;
  }
}

/** Many servers send JSON as a text. */
function TextBlock({ text }: { readonly text: string }) {
  const json = jsonIn(text);
  if (json !== undefined) return <JsonText text={json} label="Text, which is JSON" />;
  return (
    <div class="block">
      <CopyButton text={text} what="text" />
      <LongText text={text} />
    </div>
  );
}

function jsonIn(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return prettyJson(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function ResourceBlock({ contents }: { readonly contents: ResourceContents }) {
  const { uri, mimeType = '', text, blob } = contents;
  return (
    <div class="block">
      <p class="block-head">
        <Name text={uri} /> {mimeType === '' ? null : <Chip>{mimeType.slice(0, 100)}</Chip>}
      </p>
      {text === undefined ? null : <TextBlock text={text} />}
      {blob === undefined ? null : <Media kind={mediaKind(mimeType)} data={blob} mimeType={mimeType} />}
    </div>
  );
}

function mediaKind(mimeType: string): 'image' | 'audio' | 'bytes' {
  if (mimeType.startsWith('image/')) return 'image';
  return mimeType.startsWith('audio/') ? 'audio' : 'bytes';
}

interface MediaProps {
  readonly kind: 'image' | 'audio' | 'bytes';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

function Media({ kind, data, mimeType }: MediaProps) {
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'application/octet-stream';
  const size = sizeInWords(Math.floor((data.length * 3) / 4));
  const url = `data:${type};base64,${data}`;
  return (
    <figure class="media">
      {/* As an image, SVG runs no script. */}
      {kind === 'image' ? <img src={url} alt={`The server's content (${type})`} /> : null}
      {/* biome-ignore lint/a11y/useMediaCaption: the server sends none */}
      {kind === 'audio' ? <audio controls src={url} aria-label={`Sound (${type})`} /> : null}
      <figcaption>
        <Chip>{type}</Chip> {size}{' '}
        <button type="button" class="link" onClick={() => saveBytes(data, type)}>
          Save
        </button>
      </figcaption>
    </figure>
  );
}

function saveBytes(base64: string, type: string): void {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  saveFile(new Blob([bytes], { type: 'application/octet-stream' }), `content.${extensionOf(type)}`);
}

function extensionOf(type: string): string {
  const subtype = type.slice(type.indexOf('/') + 1);
  return (
    { jpeg: 'jpg', 'svg+xml': 'svg', mpeg: 'mp3', plain: 'txt', 'octet-stream': 'bin' }[subtype] ??
    subtype.replace(/\W+/g, '-')
  );
}

/** Has the browser save a file. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
