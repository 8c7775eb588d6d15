import { gunzipSync } from 'node:zlib';
import type { PageFile } from '@hawser/loopback-page/page-host';

/** A file of the page, compressed. */
interface PackedFile {
  readonly type: string;
  /** Gzip, as base64. */
  readonly gzip: string;
}

/** The page, by path. Set by the bundler, so that the program stays one file where it has to be one. */
declare const HAWSER_INSPECT_PAGE: Readonly<Record<string, PackedFile>>;

export function pageFiles(): ReadonlyMap<string, PageFile> {
  return new Map(
    Object.entries(HAWSER_INSPECT_PAGE).map(([path, { type, gzip }]) => [
      path,
      { type, bytes: gunzipSync(Buffer.from(gzip, 'base64')) },
    ]),
  );
}
