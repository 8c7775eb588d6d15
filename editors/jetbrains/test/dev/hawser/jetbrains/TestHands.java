package dev.hawser.jetbrains;

import com.intellij.codeInsight.daemon.impl.HighlightInfo;
import com.intellij.codeInsight.daemon.impl.HighlightInfoType;
import com.intellij.codeInsight.daemon.impl.UpdateHighlightersUtil;
import com.intellij.openapi.command.WriteCommandAction;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.vfs.VirtualFile;
import java.awt.Component;
import java.awt.Container;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.swing.JButton;

/** The hands of a user, for the conformance kit: each acts through what a menu, a button or a key calls. */
final class TestHands implements Hawser.Hands {
  private final Map<String, Hand> hands = new LinkedHashMap<>();

  private interface Hand {
    Object act(Hawser hawser, Map<String, Object> params) throws Problem;
  }

  TestHands() {
    hands.put("test/type", TestHands::type);
    hands.put("test/select", TestHands::select);
    hands.put("test/mention", TestHands::mention);
    hands.put("test/folder", TestHands::changeFolder);
    hands.put("test/report", TestHands::report);
    hands.put("test/format", (hawser, params) -> Json.object("name", "a.json", "text", "{\"a\":1}\n", "formatted", "{\n  \"a\": 1\n}\n"));
    hands.put("test/shown", (hawser, params) -> Json.object("isShown", hawser.proposals.isShown(Json.requiredString(params, "id"))));
    hands.put("test/says", (hawser, params) -> Json.object("isSaid", said(hawser, params).contains(Json.requiredString(params, "words"))));
    hands.put("test/decide", TestHands::decide);
  }

  @Override
  public List<String> names() {
    return Arrays.asList(hands.keySet().toArray(new String[0]));
  }

  @Override
  public Object act(Hawser hawser, String method, Map<String, Object> params) throws Problem {
    return hands.get(method).act(hawser, params);
  }

  private static Object type(Hawser hawser, Map<String, Object> params) throws Problem {
    Document document = documentOf(hawser, params);
    String text = Json.requiredString(params, "text").replace("\r\n", "\n");
    document.setReadOnly(false);
    WriteCommandAction.runWriteCommandAction(hawser.ide.project, () -> document.setText(text));
    return null;
  }

  private static Object select(Hawser hawser, Map<String, Object> params) throws Problem {
    hawser.ide.open(pathOf(params), true, Json.map(params.get("range")));
    return null;
  }

  private static Object mention(Hawser hawser, Map<String, Object> params) throws Problem {
    hawser.mention(pathOf(params), Json.map(params.get("range")));
    return null;
  }

  private static Object changeFolder(Hawser hawser, Map<String, Object> params) throws Problem {
    hawser.changeFolder(Json.requiredString(params, "path"));
    return null;
  }

  /** A problem where the IDE's own inspections leave theirs. */
  private static Object report(Hawser hawser, Map<String, Object> params) throws Problem {
    Document document = documentOf(hawser, params);
    Map<String, Object> diagnostic = Json.map(params.get("diagnostic"));
    Map<String, Object> range = Json.map(diagnostic.get("range"));
    HighlightInfoType[] types = {null, HighlightInfoType.ERROR, HighlightInfoType.WARNING, HighlightInfoType.WEAK_WARNING, HighlightInfoType.WEAK_WARNING};
    HighlightInfo problem = HighlightInfo.newHighlightInfo(types[Json.integer(diagnostic, "severity")])
        .range(Texts.offset(document, Json.map(range.get("start"))), Texts.offset(document, Json.map(range.get("end"))))
        .descriptionAndTooltip(Json.requiredString(diagnostic, "message"))
        .create();
    UpdateHighlightersUtil.setHighlightersToEditor(hawser.ide.project, document, 0, document.getTextLength(), Collections.singletonList(problem), null, 4);
    hawser.diagnosticsChanged();
    return null;
  }

  /** Looks at the proposal, writes the notes, edits the text, and presses the button. */
  private static Object decide(Hawser hawser, Map<String, Object> params) throws Problem {
    Proposal proposal = hawser.proposals.find(Json.requiredString(params, "id"));
    Map<String, Object> decision = Json.map(params.get("decision"));
    hawser.proposals.review(proposal);
    ProposalWindow window = hawser.proposals.window();
    for (Object each : Json.list(decision.get("notes"))) {
      Map<String, Object> lines = Json.map(Json.map(each).get("lines"));
      window.addNote(Json.string(Json.map(each), "text"), lines.isEmpty() ? null : lines);
    }
    List<Object> marks = Json.list(decision.get("marks"));
    if (marks.contains("rejected")) window.edit(Hunks.without(proposal, Json.list(proposal.sent.get("hunks")), marks));
    String text = Json.string(decision, "text");
    if (text != null && !text.equals(window.text())) window.edit(text);
    window.decide(Json.string(decision, "kind"));
    return null;
  }

  /** What the window of the proposal says above the diff. */
  private static String said(Hawser hawser, Map<String, Object> params) throws Problem {
    String id = Json.requiredString(params, "id");
    return hawser.proposals.isShown(id) ? hawser.proposals.window().remarks() : "";
  }

  private static Document documentOf(Hawser hawser, Map<String, Object> params) throws Problem {
    VirtualFile file = hawser.ide.openFile(pathOf(params));
    return FileDocumentManager.getInstance().getDocument(file);
  }

  private static String pathOf(Map<String, Object> params) throws Problem {
    return FileUri.path(Json.requiredString(params, "uri"));
  }

  /** Presses a button that is on the screen. */
  static void press(Container in, String name) throws Problem {
    JButton button = find(in, name);
    if (button == null) throw new Problem("There is no button " + name);
    button.doClick();
  }

  private static JButton find(Container in, String name) {
    for (Component each : in.getComponents()) {
      if (each instanceof JButton && each.isShowing() && name.equals(((JButton) each).getText())) return (JButton) each;
      JButton inside = each instanceof Container ? find((Container) each, name) : null;
      if (inside != null) return inside;
    }
    return null;
  }
}
