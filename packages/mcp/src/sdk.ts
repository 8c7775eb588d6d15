export { type SdkTransport, sdkTransport } from './transports/sdk.ts';
