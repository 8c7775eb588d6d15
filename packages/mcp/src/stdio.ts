// Each entry of a transport exports the main one too: a program with one transport needs one import, and starts sooner.
export * from './index.ts';
export {
  type ChildConnection,
  type ChildExit,
  type ConnectStdioOptions,
  connectStdio,
} from './transports/stdio/connect.ts';
export { defaultEnvironment } from './transports/stdio/default-environment.ts';
export { type ListenStdioOptions, listenStdio } from './transports/stdio/listen.ts';
export { type ServeStdioOptions, serveStdio } from './transports/stdio/serve.ts';
