package dev.hawser.jetbrains;

import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.actionSystem.CommonDataKeys;
import com.intellij.openapi.editor.Editor;
import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.startup.StartupActivity;
import com.intellij.openapi.ui.Messages;
import com.intellij.openapi.vfs.VirtualFile;

/** The menu Tools | Hawser, and the start with a project. */
public final class Actions {
  private static final String[] AGENTS = {"claude", "codex", "gemini", "qwen", "copilot", "opencode"};

  private Actions() {}

  /** Opens the line to the bridge when a project is opened. */
  public static final class AtStart implements StartupActivity, DumbAware {
    @Override
    public void runActivity(Project project) {
      if (project.isDefault() || Boolean.getBoolean("hawser.manual")) return;
      Ide.later(() -> {
        if (!project.isDisposed()) StatusWidget.add(Hawser.start(project));
      });
    }
  }

  private abstract static class HawserAction extends AnAction implements DumbAware {
    @Override
    public void actionPerformed(AnActionEvent event) {
      Hawser hawser = Hawser.of(event.getProject());
      if (hawser != null) perform(hawser, event);
    }

    abstract void perform(Hawser hawser, AnActionEvent event);
  }

  public static final class Start extends AnAction implements DumbAware {
    @Override
    public void actionPerformed(AnActionEvent event) {
      if (event.getProject() == null) return;
      boolean isNew = Hawser.of(event.getProject()) == null;
      Hawser hawser = Hawser.start(event.getProject());
      if (isNew) StatusWidget.add(hawser);
    }
  }

  public static final class Stop extends HawserAction {
    @Override
    void perform(Hawser hawser, AnActionEvent event) {
      hawser.stop();
    }
  }

  public static final class Review extends HawserAction {
    @Override
    void perform(Hawser hawser, AnActionEvent event) {
      hawser.proposals.reviewNext();
    }
  }

  public static final class ReviewInBrowser extends HawserAction {
    @Override
    void perform(Hawser hawser, AnActionEvent event) {
      hawser.openPage();
    }
  }

  public static final class Pause extends HawserAction {
    @Override
    void perform(Hawser hawser, AnActionEvent event) {
      hawser.pause(!hawser.isPaused());
    }
  }

  /** Points agents to the file, or to the selected lines. */
  public static final class Mention extends HawserAction {
    @Override
    void perform(Hawser hawser, AnActionEvent event) {
      VirtualFile file = event.getData(CommonDataKeys.VIRTUAL_FILE);
      Editor editor = event.getData(CommonDataKeys.EDITOR);
      if (file == null) return;
      boolean hasSelection = editor != null && editor.getSelectionModel().hasSelection();
      hawser.mention(file.getPath(), hasSelection
          ? Texts.range(editor.getDocument(), editor.getSelectionModel().getSelectionStart(), editor.getSelectionModel().getSelectionEnd())
          : Json.object());
    }
  }

  /** In the IDE's terminal; without one, the command is in the clipboard. */
  public static final class StartAgent extends HawserAction {
    @Override
    void perform(Hawser hawser, AnActionEvent event) {
      Project project = hawser.ide.project;
      String agent = Messages.showEditableChooseDialog("Agent:", "Start an Agent", null, AGENTS, AGENTS[0], null);
      if (agent == null) return;
      String command = "hawser run " + agent;
      if (IdeTerminal.run(project, command)) return;
      hawser.ide.offer("This IDE has no terminal. Type this in one, in the folder of the project", command);
    }
  }
}
