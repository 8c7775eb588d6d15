export type { IntrospectionOptions } from './oauth/resource-server/introspection.ts';
export {
  type BearerPrincipal,
  type RequireBearerOptions,
  requireBearer,
} from './oauth/resource-server/require-bearer.ts';
export type {
  Authorize,
  AuthorizeMessage,
  AuthorizeRequest,
  Refusal,
  ResourceMetadata,
} from './transports/authorization.ts';
