import type { CommandSpec } from '@hawser/command-line/command';
import type { Environment } from '@hawser/command-line/environment';
import type { TargetPlaces } from './target-places.ts';

/** The environment of client commands. */
export interface ClientEnvironment extends Environment, TargetPlaces {}

/** A command that speaks with a server. */
export type ClientCommand = CommandSpec<ClientEnvironment>;
