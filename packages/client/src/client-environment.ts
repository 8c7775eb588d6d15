import type { Environment } from '@hawser/command-line/environment';
import type { TargetPlaces } from './target-places.ts';

/** The environment of client commands. */
export interface ClientEnvironment extends Environment, TargetPlaces {}
