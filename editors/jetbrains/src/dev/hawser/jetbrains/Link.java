package dev.hawser.jetbrains;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * JSON-RPC with `hawser editor` over its stdin and stdout, in frames of LSP. Any thread may send; messages are received on one
 * thread, in order. The platform's process handlers decode text in chunks, so this reads bytes itself.
 */
final class Link {
  /** Receives what the bridge sends. Must not block. */
  interface Receiver {
    /** A request has an id, a notification has none. */
    void received(Link from, String method, Map<String, Object> params, Object id);

    /** Called once: the process has ended, or what it said was not the protocol. `reason` is for the user; null after {@link #close}. */
    void ended(String reason);
  }

  private static final int MAX_MESSAGE_BYTES = 256 << 20;
  private static final int MAX_ERROR_CHARS = 4000;
  private static final byte[] END = new byte[0];

  private final Process process;
  private final Receiver receiver;
  private final Map<Long, CompletableFuture<Map<String, Object>>> waiting = new ConcurrentHashMap<>();
  private final BlockingQueue<byte[]> outgoing = new LinkedBlockingQueue<>();
  private final StringBuffer errors = new StringBuffer();
  private final AtomicLong lastId = new AtomicLong();
  private final AtomicBoolean hasEnded = new AtomicBoolean();
  private volatile boolean isClosing;

  Link(Process process, Receiver receiver) {
    this.process = process;
    this.receiver = receiver;
    start("Hawser reader", this::readMessages);
    start("Hawser writer", this::writeMessages);
    start("Hawser log", this::readErrors);
  }

  void notify(String method, Map<String, Object> params) {
    send(Json.object("jsonrpc", "2.0", "method", method, "params", params));
  }

  /** Fails with a Problem if the bridge answers with an error or has ended. */
  CompletableFuture<Map<String, Object>> request(String method, Map<String, Object> params) {
    long id = lastId.incrementAndGet();
    CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    send(Json.object("jsonrpc", "2.0", "id", id, "method", method, "params", params));
    if (hasEnded.get()) failWaiting();
    return answer;
  }

  void respond(Object id, Object result) {
    Map<String, Object> message = Json.object("jsonrpc", "2.0", "id", id);
    message.put("result", result);
    send(message);
  }

  void fail(Object id, int code, String message) {
    send(Json.object("jsonrpc", "2.0", "id", id, "error", Json.object("code", code, "message", message)));
  }

  /** The end of stdin is the end of the bridge, or of our part in it. Safe to call twice. */
  void close() {
    isClosing = true;
    outgoing.add(END);
    start("Hawser end", () -> {
      try {
        if (!process.waitFor(3, TimeUnit.SECONDS)) process.destroyForcibly();
      } catch (InterruptedException e) {
        process.destroyForcibly();
      }
    });
  }

  private void send(Map<String, Object> message) {
    byte[] body = Json.write(message).getBytes(StandardCharsets.UTF_8);
    byte[] head = ("Content-Length: " + body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    byte[] frame = new byte[head.length + body.length];
    System.arraycopy(head, 0, frame, 0, head.length);
    System.arraycopy(body, 0, frame, head.length, body.length);
    if (!hasEnded.get()) outgoing.add(frame);
  }

  private void writeMessages() {
    try (OutputStream out = new BufferedOutputStream(process.getOutputStream())) {
      for (byte[] frame = outgoing.take(); frame != END; frame = outgoing.take()) {
        out.write(frame);
        if (outgoing.isEmpty()) out.flush();
      }
    } catch (IOException | InterruptedException e) {
      // The reader says so.
    }
  }

  private void readMessages() {
    String reason = "hawser editor has ended.";
    try (DataInputStream in = new DataInputStream(new BufferedInputStream(process.getInputStream()))) {
      for (;;) receive(Json.map(Json.parse(frame(in))));
    } catch (EOFException e) {
      // It has ended by itself.
    } catch (Exception e) {
      reason = "hawser editor said what this plugin can't read: " + e.getMessage();
    }
    hasEnded.set(true);
    outgoing.add(END);
    failWaiting();
    String last = errors.toString().trim();
    receiver.ended(isClosing ? null : last.isEmpty() ? reason : reason + "\n" + last);
  }

  private void receive(Map<String, Object> message) {
    String method = Json.string(message, "method");
    if (method != null) {
      receiver.received(this, method, Json.map(message.get("params")), message.get("id"));
      return;
    }
    Object id = message.get("id");
    CompletableFuture<Map<String, Object>> answer = id instanceof Long ? waiting.remove(id) : null;
    if (answer == null) return;
    Map<String, Object> error = Json.map(message.get("error"));
    if (error.isEmpty()) answer.complete(Json.map(message.get("result")));
    else answer.completeExceptionally(new Problem(String.valueOf(error.get("message"))));
  }

  private void failWaiting() {
    for (Long id : waiting.keySet()) {
      CompletableFuture<Map<String, Object>> answer = waiting.remove(id);
      if (answer != null) answer.completeExceptionally(new Problem("hawser editor has ended."));
    }
  }

  private void readErrors() {
    try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        errors.append(line).append('\n');
        if (errors.length() > MAX_ERROR_CHARS) errors.delete(0, errors.length() - MAX_ERROR_CHARS);
      }
    } catch (IOException e) {
      // It has ended.
    }
  }

  private static String frame(DataInputStream in) throws IOException {
    int length = -1;
    for (String line = headerLine(in); !line.isEmpty(); line = headerLine(in)) {
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) length = Integer.parseInt(line.substring(15).trim());
    }
    if (length < 0 || length > MAX_MESSAGE_BYTES) throw new IOException("a frame of " + length + " bytes");
    byte[] body = new byte[length];
    in.readFully(body);
    return new String(body, StandardCharsets.UTF_8);
  }

  private static String headerLine(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) throw new EOFException();
      if (line.length() > 1000) throw new IOException("a header without an end");
      if (c != '\r') line.append((char) c);
    }
    return line.toString();
  }

  private static void start(String name, Runnable run) {
    Thread thread = new Thread(run, name);
    thread.setDaemon(true);
    thread.start();
  }
}
