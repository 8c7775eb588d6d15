export { BadFrame, FrameReader, frameOf } from './content-length.ts';
export {
  ErrorCode,
  type LanguageMethod,
  type MessageSpec,
  type Messages,
  type Method,
  messages,
  type NotificationFrom,
  type ParamsOf,
  PROTOCOL_VERSION,
  type RequestFrom,
  type ResultOf,
  type Sender,
} from './messages.ts';
export { InvalidValue, type Json, type Schema, type TypeOf } from './schema.ts';
export type {
  Document,
  EditorCapabilities,
  Position,
  Range,
  WireDecision,
  WireOutcome,
  WireProgress,
  WireProposal,
} from './shapes.ts';
