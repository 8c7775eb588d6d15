package dev.hawser.jetbrains;

import com.intellij.openapi.extensions.PluginId;
import com.intellij.ide.plugins.IdeaPluginDescriptor;
import com.intellij.ide.plugins.PluginManager;
import com.intellij.openapi.project.Project;

/**
 * The terminal of the IDE is a plugin, whose calls have changed with the years, and some IDEs lack it. So they are looked up by
 * name, the newest first.
 */
final class IdeTerminal {
  private static final PluginId TERMINAL = PluginId.getId("org.jetbrains.plugins.terminal");

  private IdeTerminal() {}

  /** Returns whether there is a terminal that runs it. */
  static boolean run(Project project, String command) {
    IdeaPluginDescriptor plugin = PluginManager.getPlugin(TERMINAL);
    if (plugin == null || plugin.getPluginClassLoader() == null) return false;
    return since2023(plugin.getPluginClassLoader(), project, command) || since2019(plugin.getPluginClassLoader(), project, command);
  }

  private static boolean since2023(ClassLoader loader, Project project, String command) {
    try {
      Class<?> type = loader.loadClass("org.jetbrains.plugins.terminal.TerminalToolWindowManager");
      Object manager = type.getMethod("getInstance", Project.class).invoke(null, project);
      Object widget = type.getMethod("createShellWidget", String.class, String.class, boolean.class, boolean.class)
          .invoke(manager, project.getBasePath(), "Hawser", true, false);
      loader.loadClass("com.intellij.terminal.ui.TerminalWidget").getMethod("sendCommandToExecute", String.class).invoke(widget, command);
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  private static boolean since2019(ClassLoader loader, Project project, String command) {
    try {
      Class<?> type = loader.loadClass("org.jetbrains.plugins.terminal.TerminalView");
      Object view = type.getMethod("getInstance", Project.class).invoke(null, project);
      Object widget = type.getMethod("createLocalShellWidget", String.class, String.class)
          .invoke(view, project.getBasePath(), "Hawser");
      widget.getClass().getMethod("executeCommand", String.class).invoke(widget, command);
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }
}
