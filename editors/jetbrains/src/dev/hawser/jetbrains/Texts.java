package dev.hawser.jetbrains;

import com.intellij.openapi.editor.Document;
import java.util.Map;

/** Positions as the protocol counts them: lines from 0, and UTF-16 units in a line. */
final class Texts {
  private Texts() {}

  static Map<String, Object> range(Document document, int start, int end) {
    return Json.object("start", position(document, start), "end", position(document, end));
  }

  private static Map<String, Object> position(Document document, int offset) {
    int line = document.getLineNumber(offset);
    return Json.object("line", line, "character", offset - document.getLineStartOffset(line));
  }

  /** The nearest one to a position outside the text. */
  static int offset(Document document, Map<String, Object> position) {
    int line = Json.integer(position, "line");
    if (line >= document.getLineCount()) return document.getTextLength();
    int inLine = document.getLineStartOffset(line) + Json.integer(position, "character");
    return Math.min(inLine, document.getLineEndOffset(line));
  }

  /** What Swing shows as this text. Agents write titles and messages: none of their marks is markup. */
  static String html(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "<br>");
  }

  /** With the empty line after a final line end. */
  static int lineCount(Document document) {
    return Math.max(1, document.getLineCount());
  }

  /** Null if lines end in several ways, or with \r alone: a Document can't hold those. */
  static String lineEnd(String text) {
    if (text.indexOf('\r') < 0) return "\n";
    String rest = text.replace("\r\n", "");
    return rest.indexOf('\r') < 0 && rest.indexOf('\n') < 0 ? "\r\n" : null;
  }
}
