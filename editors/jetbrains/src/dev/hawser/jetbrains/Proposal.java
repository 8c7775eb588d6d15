package dev.hawser.jetbrains;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A change that waits for the user, as the bridge sent it, and what the user has said of it. */
final class Proposal {
  static final List<String> EFFECTS = Arrays.asList("edit", "delete", "command", "noticed", "noticedDelete");

  final String id;
  final Map<String, Object> sent;
  /** Notes as the protocol has them. */
  final List<Object> notes;
  /** What the user has made of the text; null if it is the proposed one. */
  String editedText;
  /** Why it could not be written, or where a decision stands. */
  String progress = "";

  Proposal(Map<String, Object> sent, Proposal before) throws Problem {
    this.id = Json.requiredString(sent, "id");
    this.sent = sent;
    this.notes = before == null ? new ArrayList<>() : before.notes;
    this.editedText = before == null ? null : before.editedText;
  }

  int revision() {
    return Json.integer(sent, "revision");
  }

  String path() {
    try {
      return FileUri.path(Json.requiredString(sent, "uri"));
    } catch (Problem noFile) {
      return "";
    }
  }

  String effect() {
    return Json.string(sent, "effect");
  }

  boolean isCommand() {
    return "command".equals(effect());
  }

  /** A deletion or a command is taken or left as it is; so is a text that the diff can't show exactly. */
  boolean isEditable() {
    boolean isText = "edit".equals(effect()) || "noticed".equals(effect());
    return isText && newText().indexOf('\r') < 0 && oldText().indexOf('\r') < 0;
  }

  boolean takesNotes() {
    return !"none".equals(Json.string(sent, "noteDelivery"));
  }

  String oldText() {
    String text = Json.string(sent, "oldText");
    return text == null ? "" : text;
  }

  String newText() {
    String text = Json.string(sent, "newText");
    return text == null ? "" : text;
  }

  String title() {
    Map<String, Object> set = Json.map(sent.get("set"));
    String place = set.isEmpty() ? "" : " (" + (Json.integer(set, "index") + 1) + " of " + Json.integer(set, "size") + ")";
    return Json.string(sent, "agent") + ": " + what() + Json.string(sent, "title") + place;
  }

  private String what() {
    switch (String.valueOf(effect())) {
      case "delete":
        return "delete ";
      case "command":
        return "run ";
      case "noticed":
        return "changed ";
      case "noticedDelete":
        return "deleted ";
      default:
        return "";
    }
  }

  boolean hasHappened() {
    return String.valueOf(effect()).startsWith("noticed");
  }

  /** What the user should know: advice, what changed under it, how the last round ended, what went wrong. */
  List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    if (!progress.isEmpty()) remarks.add(progress);
    if ("merged".equals(sent.get("base"))) remarks.add("The file has changed meanwhile. The proposal contains that change.");
    if ("conflict".equals(sent.get("base"))) remarks.add("The file has changed meanwhile. Accepting this undoes that change.");
    if (Json.string(sent, "advice") != null) remarks.add(Json.string(sent, "advice"));
    if (!hasHappened() && "edit".equals(effect()) && !isEditable()) remarks.add("Lines end in several ways, so it can't be edited here.");
    Map<String, Object> previous = Json.map(sent.get("previous"));
    for (Object note : Json.list(previous.get("notes"))) {
      remarks.add("You asked in round " + Json.integer(previous, "round") + ": " + Json.map(note).get("text"));
    }
    if ("mention".equals(sent.get("noteDelivery"))) remarks.add("Notes reach this agent as a mention.");
    return remarks;
  }

  /** `kind` is accepted, rejected or changesRequested. */
  Map<String, Object> decision(String kind) {
    Map<String, Object> decision = Json.object("kind", kind, "text", editedText);
    if (!notes.isEmpty()) decision.put("notes", new ArrayList<>(notes));
    return decision;
  }

  @Override
  public String toString() {
    return title() + (progress.isEmpty() ? "" : " (" + progress + ")");
  }
}
