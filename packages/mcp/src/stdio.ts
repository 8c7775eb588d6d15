// Each entry of a transport exports the main one too: a program with one transport needs one import, and starts sooner.
export * from './index.ts';
export {
  type ChildConnection,
  type ChildExit,
  type ConnectStdioOptions,
  connectStdio,
} from './transports/stdio/connect.ts';
export { type ListenStdioOptions, listenStdio } from './transports/stdio/listen.ts';
export { type ServeStdioOptions, serveStdio } from './transports/stdio/serve.ts';
