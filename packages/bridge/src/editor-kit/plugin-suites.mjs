// The contract suites, for the command: TypeScript builds the command without its tests.
export { describePlugin, MissingHand, openLiveEditor, suitesLeftOut } from './plugin.contract.ts';
