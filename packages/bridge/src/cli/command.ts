import type { CommandSpec } from '@hawser/command-line/command';
import type { Environment } from './environment.ts';

/** A command of `hawser`. */
export type BridgeCommand = CommandSpec<Environment>;
