import type { EditorFinder } from '@hawser/client/editor-finder';
import { discoveryPlaces } from './discovery-places.ts';
import { editorFinder } from './editor-finder.ts';
import type { Environment } from './environment.ts';

/** Loaded when a command looks for editors. */
export function findEditors(environment: Environment): EditorFinder {
  return editorFinder(discoveryPlaces(environment));
}
