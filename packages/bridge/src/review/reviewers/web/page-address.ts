/** The name of the page's subprotocol, of its policy for trusted types, and how its cookie begins. */
export const SUBPROTOCOL = 'hawser-review';
/** Of its WebSocket. */
export const CHANNEL_PATH = '/channel';
