package dev.hawser.jetbrains;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Hunks as the protocol has them: [oldLine, oldCount, newLine, newCount]. */
final class Hunks {
  private Hunks() {}

  /** The proposed text with the old lines in place of the hunks whose choice is `rejected`. */
  static String without(Proposal proposal, List<Object> hunks, List<Object> choices) {
    List<String> oldLines = lines(proposal.oldText());
    List<String> newLines = lines(proposal.newText());
    for (int i = Math.min(hunks.size(), choices.size()) - 1; i >= 0; i--) {
      if (!"rejected".equals(choices.get(i))) continue;
      int[] hunk = numbers(hunks.get(i));
      List<String> replaced = newLines.subList(hunk[2], hunk[2] + hunk[3]);
      replaced.clear();
      replaced.addAll(oldLines.subList(hunk[0], hunk[0] + hunk[1]));
    }
    return String.join("", newLines);
  }

  /** For each hunk of the proposal, `rejected` if it is not among those of the user's text. */
  static List<Object> marks(Proposal proposal, List<Object> hunksNow, String textNow) {
    List<List<Object>> now = changes(hunksNow, lines(textNow));
    List<Object> marks = new ArrayList<>();
    for (List<Object> change : changes(Json.list(proposal.sent.get("hunks")), lines(proposal.newText()))) {
      marks.add(now.contains(change) ? "undecided" : "rejected");
    }
    return marks;
  }

  /** Which old lines each hunk replaces, and by which new ones. */
  private static List<List<Object>> changes(List<Object> hunks, List<String> newLines) {
    List<List<Object>> changes = new ArrayList<>();
    for (Object each : hunks) {
      int[] hunk = numbers(each);
      changes.add(Arrays.asList(hunk[0], hunk[1], new ArrayList<>(newLines.subList(hunk[2], hunk[2] + hunk[3]))));
    }
    return changes;
  }

  private static int[] numbers(Object hunk) {
    return Json.list(hunk).stream().mapToInt(each -> ((Number) each).intValue()).toArray();
  }

  /** Each with its line end. */
  private static List<String> lines(String text) {
    if (text.isEmpty()) return new ArrayList<>();
    return new ArrayList<>(Arrays.asList(text.split("(?<=\n)")));
  }
}
