package dev.hawser.jetbrains;

import com.intellij.diff.DiffContentFactory;
import com.intellij.diff.DiffManager;
import com.intellij.diff.DiffRequestPanel;
import com.intellij.diff.contents.DocumentContent;
import com.intellij.diff.requests.SimpleDiffRequest;
import com.intellij.diff.util.DiffUserDataKeys;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.command.WriteCommandAction;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.editor.Editor;
import com.intellij.openapi.editor.EditorFactory;
import com.intellij.openapi.editor.event.DocumentEvent;
import com.intellij.openapi.editor.event.DocumentListener;
import com.intellij.openapi.fileTypes.FileType;
import com.intellij.openapi.fileTypes.FileTypeManager;
import com.intellij.openapi.ui.DialogWrapper;
import com.intellij.openapi.ui.Messages;
import java.awt.BorderLayout;
import java.awt.Dimension;
import java.awt.event.ActionEvent;
import java.io.File;
import java.util.Map;
import javax.swing.AbstractAction;
import javax.swing.Action;
import javax.swing.JComponent;
import javax.swing.JLabel;
import javax.swing.JPanel;

/**
 * One proposal as a diff: the file on the left, the proposal on the right, to be edited, with the platform's arrows that take a
 * hunk back. Its buttons decide; closing it decides nothing.
 */
final class ProposalWindow extends DialogWrapper {
  /** Above this the platform's diff stops the IDE for seconds. */
  private static final int MAX_DIFF_CHARS = 5 << 20;

  private final Hawser hawser;
  private final DiffRequestPanel diff;
  private final JLabel remarks = new JLabel();
  private Proposal proposal;
  private Document left;
  private Document right;
  private boolean hasDecided;
  private boolean isFilling;

  ProposalWindow(Hawser hawser, Proposal proposal) {
    super(hawser.ide.project, false, IdeModalityType.MODELESS);
    this.hawser = hawser;
    diff = DiffManager.getInstance().createRequestPanel(hawser.ide.project, getDisposable(), null);
    show(proposal);
    init();
  }

  Proposal proposal() {
    return proposal;
  }

  boolean hasDecided() {
    return hasDecided;
  }

  /** What the right side says now. */
  String text() {
    return right.getText();
  }

  /** What is written above the diff. */
  String remarks() {
    return String.join("\n", proposal.remarks());
  }

  void open() {
    if (!ApplicationManager.getApplication().isHeadlessEnvironment()) show();
  }

  /** Shows it, or a new revision or progress of it. What the user has typed stays. */
  void show(Proposal next) {
    boolean isOtherText = proposal == null || !next.oldText().equals(proposal.oldText()) || !shownText(next).equals(shownText(proposal));
    boolean isNew = proposal == null || right == null;
    proposal = next;
    hasDecided = hasDecided && !next.progress.isEmpty() && next.progress.startsWith("is being");
    setTitle(next.title());
    remarks.setText("<html>" + Texts.html(remarks()));
    if (isNew || isOtherText) setTexts(next);
    else if (!shownText(next).contentEquals(right.getImmutableCharSequence())) fill(shownText(next));
  }

  void edit(String text) {
    WriteCommandAction.runWriteCommandAction(hawser.ide.project, () -> right.setText(text));
  }

  void addNote(String text, Map<String, Object> lines) {
    proposal.notes.add(Json.object("text", text, "lines", lines));
  }

  void decide(String kind) {
    hasDecided = true;
    hawser.proposals.decide(proposal, kind);
  }

  /** The proposal has ended, or another one is shown. */
  void end() {
    close(CLOSE_EXIT_CODE);
  }

  @Override
  protected JComponent createCenterPanel() {
    JPanel panel = new JPanel(new BorderLayout(0, 6));
    panel.add(remarks, BorderLayout.NORTH);
    panel.add(diff.getComponent(), BorderLayout.CENTER);
    panel.setPreferredSize(new Dimension(960, 480));
    return panel;
  }

  @Override
  public JComponent getPreferredFocusedComponent() {
    return diff.getPreferredFocusedComponent();
  }

  @Override
  protected String getDimensionServiceKey() {
    return "dev.hawser.proposal";
  }

  @Override
  protected Action[] createActions() {
    Action accept = button(proposal.hasHappened() ? "Keep" : proposal.isCommand() ? "Run" : "Accept", () -> decide("accepted"));
    accept.putValue(DEFAULT_ACTION, Boolean.TRUE);
    Action reject = button(proposal.hasHappened() ? "Take Back" : "Reject", () -> decide("rejected"));
    if (!proposal.takesNotes()) return new Action[] {accept, reject};
    return new Action[] {button("Add Note…", this::askForNote), button("Ask for Changes", this::askForChanges), reject, accept};
  }

  @Override
  protected void dispose() {
    super.dispose();
    hawser.proposals.windowClosed(this);
  }

  private void askForChanges() {
    if (proposal.notes.isEmpty() && !askForNote()) return;
    decide("changesRequested");
  }

  /** On the line of the cursor. Returns whether there is one now. */
  private boolean askForNote() {
    Map<String, Object> lines = cursorLine();
    String where = lines == null ? "the change" : (lines.get("side").equals("old") ? "the old line " : "line ") + (Json.integer(lines, "first") + 1);
    String text = Messages.showMultilineInputDialog(hawser.ide.project, "To the agent, on " + where + ":", "Note", "", null, null);
    if (text == null || text.trim().isEmpty()) return false;
    addNote(text.trim(), lines);
    return true;
  }

  /** Null if the cursor is in neither text, or the user has edited: lines are those of the proposed text. */
  private Map<String, Object> cursorLine() {
    if (proposal.editedText != null) return null;
    for (Document document : new Document[] {right, left}) {
      for (Editor editor : EditorFactory.getInstance().getEditors(document, hawser.ide.project)) {
        if (!editor.getContentComponent().hasFocus()) continue;
        int line = document.getLineNumber(editor.getCaretModel().getOffset());
        return Json.object("side", document == left ? "old" : "new", "first", line, "count", 1);
      }
    }
    return null;
  }

  private void setTexts(Proposal next) {
    DiffContentFactory contents = DiffContentFactory.getInstance();
    FileType type = FileTypeManager.getInstance().getFileTypeByFileName(new File(next.path()).getName());
    boolean isLarge = next.oldText().length() + next.newText().length() > MAX_DIFF_CHARS;
    String tooLarge = "Too large for a diff here. Accept or reject it, or look at it with: hawser review\n";
    DocumentContent leftContent = contents.create(hawser.ide.project, isLarge ? tooLarge : next.oldText(), type);
    DocumentContent rightContent = contents.createEditable(hawser.ide.project, isLarge ? tooLarge : shownText(next), type);
    left = leftContent.getDocument();
    right = rightContent.getDocument();
    SimpleDiffRequest request = new SimpleDiffRequest(next.title(), leftContent, rightContent, "File", "Proposal");
    request.putUserData(DiffUserDataKeys.FORCE_READ_ONLY_CONTENTS, new boolean[] {true, isLarge || !next.isEditable()});
    diff.setRequest(request);
    if (isLarge || !next.isEditable()) return;
    right.addDocumentListener(new DocumentListener() {
      @Override
      public void documentChanged(DocumentEvent event) {
        if (isFilling || event.getDocument() != right) return;
        proposal.editedText = right.getText().equals(proposal.newText()) ? null : right.getText();
      }
    }, getDisposable());
  }

  private void fill(String text) {
    isFilling = true;
    try {
      edit(text);
    } finally {
      isFilling = false;
    }
  }

  private static String shownText(Proposal proposal) {
    return proposal.editedText == null ? proposal.newText() : proposal.editedText;
  }

  private static Action button(String name, Runnable run) {
    return new AbstractAction(name) {
      @Override
      public void actionPerformed(ActionEvent event) {
        run.run();
      }
    };
  }
}
