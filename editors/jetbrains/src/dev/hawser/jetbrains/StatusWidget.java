package dev.hawser.jetbrains;

import com.intellij.openapi.wm.StatusBar;
import com.intellij.openapi.wm.StatusBarWidget;
import com.intellij.openapi.wm.WindowManager;
import com.intellij.util.Consumer;
import java.awt.Component;
import java.awt.event.MouseEvent;

/** How many changes wait, in the status bar; a click shows the next one. */
final class StatusWidget implements StatusBarWidget, StatusBarWidget.TextPresentation {
  private final Hawser hawser;

  private StatusWidget(Hawser hawser) {
    this.hawser = hawser;
  }

  static void add(Hawser hawser) {
    StatusBar bar = WindowManager.getInstance().getStatusBar(hawser.ide.project);
    if (bar == null) return;
    StatusWidget widget = new StatusWidget(hawser);
    try {
      bar.addWidget(widget, "before Position", hawser);
    } catch (LinkageError removed) {
      return; // newer IDEs take widgets from factories only; the tool window says the same
    }
    hawser.proposals.onChange(() -> bar.updateWidget(widget.ID()));
  }

  @Override
  public String ID() {
    return "Hawser";
  }

  @Override
  public WidgetPresentation getPresentation(PlatformType type) {
    return this;
  }

  public WidgetPresentation getPresentation() {
    return this;
  }

  @Override
  public void install(StatusBar bar) {}

  @Override
  public void dispose() {}

  @Override
  public String getText() {
    if (!hawser.isRunning()) return "Hawser: off";
    return "Hawser: " + (hawser.isPaused() ? "paused" : hawser.proposals.list().size());
  }

  @Override
  public float getAlignment() {
    return Component.CENTER_ALIGNMENT;
  }

  @Override
  public String getTooltipText() {
    return QueueWindow.agentsOf(hawser);
  }

  @Override
  public Consumer<MouseEvent> getClickConsumer() {
    return event -> hawser.proposals.reviewNext();
  }
}
