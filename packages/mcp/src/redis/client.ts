/** A client library as the stores use it. Connections reconnect by themselves. */
export interface RedisClient {
  /**
   * Sends a command, in a cluster to the node that has the key. Commands take effect in the order in which they are
   * sent. Rejects with the error of the server, whose message begins with its code, or if the connection is lost.
   */
  send(key: string, command: readonly string[]): Promise<unknown>;
  /** Opens a connection for subscriptions. Rejects if it cannot. */
  openSubscriber(events: SubscriberEvents): Promise<RedisSubscriber>;
}

export interface SubscriberEvents {
  message(channel: string, text: string): void;
  /** The connection is open, perhaps again: then messages may be missing, and subscriptions. */
  connected(): void;
  error(error: Error): void;
}

/** Subscribes to sharded channels. */
export interface RedisSubscriber {
  /** Rejects if the server refuses. Does no harm if the channel is subscribed already. */
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  close(): void;
}
