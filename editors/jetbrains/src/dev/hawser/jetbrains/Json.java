package dev.hawser.jetbrains;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as maps, lists, strings, Long, Double, Boolean and null. The platform has libraries for this, but none that it promises
 * to plugins.
 */
final class Json {
  private static final int MAX_DEPTH = 200;

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(String text) throws Problem {
    Json reader = new Json(text);
    Object value = reader.value(0);
    reader.space();
    if (reader.at < text.length()) throw reader.wrong();
    return value;
  }

  /** An object of the members given as name, value, name, value. Those without a value are left out. */
  static Map<String, Object> object(Object... members) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < members.length; i += 2) {
      if (members[i + 1] != null) object.put((String) members[i], members[i + 1]);
    }
    return object;
  }

  static String string(Map<String, Object> object, String name) {
    Object value = object.get(name);
    return value instanceof String ? (String) value : null;
  }

  static String requiredString(Map<String, Object> object, String name) throws Problem {
    String value = string(object, name);
    if (value == null) throw new Problem("It has no " + name);
    return value;
  }

  static boolean isTrue(Map<String, Object> object, String name) {
    return Boolean.TRUE.equals(object.get(name));
  }

  static int integer(Map<String, Object> object, String name) {
    Object value = object.get(name);
    return value instanceof Number ? ((Number) value).intValue() : 0;
  }

  /** Empty if there is none. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Object value) {
    return value instanceof Map ? (Map<String, Object>) value : Collections.emptyMap();
  }

  /** Empty if there is none. */
  @SuppressWarnings("unchecked")
  static List<Object> list(Object value) {
    return value instanceof List ? (List<Object>) value : Collections.emptyList();
  }

  static String write(Object value) {
    StringBuilder out = new StringBuilder();
    append(out, value);
    return out.toString();
  }

  private static void append(StringBuilder out, Object value) {
    if (value instanceof Map) {
      out.append('{');
      String separator = "";
      for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
        out.append(separator);
        appendString(out, String.valueOf(member.getKey()));
        out.append(':');
        append(out, member.getValue());
        separator = ",";
      }
      out.append('}');
    } else if (value instanceof List) {
      out.append('[');
      String separator = "";
      for (Object element : (List<?>) value) {
        out.append(separator);
        append(out, element);
        separator = ",";
      }
      out.append(']');
    } else if (value instanceof CharSequence) {
      appendString(out, (CharSequence) value);
    } else {
      out.append(value);
    }
  }

  private static void appendString(StringBuilder out, CharSequence string) {
    out.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else if (Character.isHighSurrogate(c) && i + 1 < string.length() && Character.isLowSurrogate(string.charAt(i + 1))) {
        out.append(c).append(string.charAt(++i));
      } else {
        out.append(Character.isSurrogate(c) ? '\ufffd' : c);
      }
    }
    out.append('"');
  }

  private Object value(int depth) throws Problem {
    if (depth > MAX_DEPTH) throw new Problem("JSON is nested too deep");
    space();
    if (at >= text.length()) throw wrong();
    switch (text.charAt(at)) {
      case '{':
        return members(depth);
      case '[':
        return elements(depth);
      case '"':
        return quoted();
      case 't':
        return word("true", Boolean.TRUE);
      case 'f':
        return word("false", Boolean.FALSE);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> members(int depth) throws Problem {
    Map<String, Object> object = new LinkedHashMap<>();
    at++;
    if (next('}')) return object;
    do {
      space();
      if (at >= text.length() || text.charAt(at) != '"') throw wrong();
      String name = quoted();
      if (!next(':')) throw wrong();
      object.put(name, value(depth + 1));
    } while (next(','));
    if (!next('}')) throw wrong();
    return object;
  }

  private List<Object> elements(int depth) throws Problem {
    List<Object> list = new ArrayList<>();
    at++;
    if (next(']')) return list;
    do list.add(value(depth + 1)); while (next(','));
    if (!next(']')) throw wrong();
    return list;
  }

  private String quoted() throws Problem {
    StringBuilder string = new StringBuilder();
    for (at++; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        return string.toString();
      }
      string.append(c == '\\' ? escaped() : c);
    }
    throw wrong();
  }

  /** Leaves `at` on the last character of the escape. */
  private char escaped() throws Problem {
    at++;
    char c = at < text.length() ? text.charAt(at) : 0;
    if (c == 'u' && at + 4 < text.length()) {
      try {
        int code = Integer.parseInt(text.substring(at + 1, at + 5), 16);
        at += 4;
        return (char) code;
      } catch (NumberFormatException e) {
        throw wrong();
      }
    }
    int index = "\"\\/bfnrt".indexOf(c);
    if (c == 0 || index < 0) throw wrong();
    return "\"\\/\b\f\n\r\t".charAt(index);
  }

  private Object word(String word, Object value) throws Problem {
    if (!text.startsWith(word, at)) throw wrong();
    at += word.length();
    return value;
  }

  private Object number() throws Problem {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
    String digits = text.substring(start, at);
    try {
      if (digits.matches("-?[0-9]{1,18}")) return Long.valueOf(digits);
      return Double.valueOf(digits);
    } catch (NumberFormatException e) {
      throw wrong();
    }
  }

  private boolean next(char wanted) {
    space();
    if (at >= text.length() || text.charAt(at) != wanted) return false;
    at++;
    return true;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private Problem wrong() {
    return new Problem("Not JSON at character " + at);
  }
}
