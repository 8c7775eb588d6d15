export type { IntrospectionOptions } from './oauth/server/introspection.ts';
export { type BearerPrincipal, type RequireBearerOptions, requireBearer } from './oauth/server/require-bearer.ts';
export type {
  Authorize,
  AuthorizeMessage,
  AuthorizeRequest,
  Refusal,
  ResourceMetadata,
} from './transports/authorization.ts';
