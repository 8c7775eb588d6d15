package dev.hawser.jetbrains;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;

/** `file:` URIs as the protocol has them. java.net.URI refuses some that others write, and changes accents. */
final class FileUri {
  private static final String UNRESERVED = "-._~/!$&'()*+,;=:@";

  private FileUri() {}

  static String of(String path) {
    String slashes = path.replace(File.separatorChar, '/');
    StringBuilder uri = new StringBuilder(slashes.startsWith("/") ? "file://" : "file:///");
    for (byte b : slashes.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      boolean plain = c < 0x80 && (Character.isLetterOrDigit(c) || UNRESERVED.indexOf(c) >= 0);
      if (plain) uri.append(c);
      else uri.append(String.format("%%%02X", (int) c));
    }
    return uri.toString();
  }

  static String path(String uri) throws Problem {
    if (!uri.startsWith("file:///")) throw new Problem("Not a file on this machine: " + uri);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] given = uri.substring("file://".length()).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < given.length; i++) {
      if (given[i] != '%') {
        bytes.write(given[i]);
        continue;
      }
      int code = i + 2 < given.length ? Character.digit(given[i + 1], 16) * 16 + Character.digit(given[i + 2], 16) : -1;
      if (code < 0) throw new Problem("Not a URI: " + uri);
      bytes.write(code);
      i += 2;
    }
    String path = new String(bytes.toByteArray(), StandardCharsets.UTF_8);
    return path.matches("/[A-Za-z]:.*") ? path.substring(1) : path;
  }
}
