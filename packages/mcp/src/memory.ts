export { type MemoryOptions, memoryPair } from './transports/memory/pair.ts';
