package dev.hawser.jetbrains;

import com.intellij.ide.DataManager;
import com.intellij.ide.impl.ProjectUtil;
import com.intellij.notification.Notification;
import com.intellij.notification.Notifications;
import com.intellij.notification.NotificationsAdapter;
import com.intellij.openapi.actionSystem.ActionManager;
import com.intellij.openapi.actionSystem.ActionPlaces;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.actionSystem.DataContext;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.application.ApplicationStarterEx;
import com.intellij.openapi.application.ModalityState;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.ide.CopyPasteManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.project.ProjectManager;
import com.intellij.openapi.wm.ToolWindowManager;
import com.intellij.openapi.wm.WindowManager;
import com.intellij.openapi.wm.impl.WindowManagerImpl;
import java.awt.AWTEvent;
import java.awt.Rectangle;
import java.awt.Robot;
import java.awt.Toolkit;
import java.awt.Window;
import java.awt.datatransfer.DataFlavor;
import java.awt.event.WindowEvent;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;

/**
 * Runs an IDE for tests: `hawsertest FILE` listens on loopback and writes its port to FILE. Each connection is a project: the
 * first line opens it, others act as its user, and the end of the connection closes it. A line is JSON, and so is its answer.
 */
public final class TestStarter extends ApplicationStarterEx {
  /** Balloons, of all projects. */
  private final List<Object> said = new CopyOnWriteArrayList<>();

  @Override
  public boolean isHeadless() {
    return Boolean.getBoolean("java.awt.headless");
  }

  @Override
  public String getCommandName() {
    return "hawsertest";
  }

  @Override
  public void premain(String[] args) {}

  @Override
  public void main(String[] args) {
    Thread thread = new Thread(() -> {
      try {
        if (!isHeadless()) {
          onEdt(() -> ((WindowManagerImpl) WindowManager.getInstance()).showFrame());
          Toolkit.getDefaultToolkit().addAWTEventListener(TestStarter::answer, AWTEvent.WINDOW_EVENT_MASK);
        }
        listen(new File(args[1]));
      } catch (Exception e) {
        e.printStackTrace();
        Runtime.getRuntime().halt(1);
      }
    }, "hawser test");
    thread.start();
  }

  /** What the IDE asks when a file changes under unsaved text, and waits for: that stays. */
  private static void answer(AWTEvent event) {
    if (event.getID() != WindowEvent.WINDOW_OPENED) return;
    try {
      TestHands.press(((WindowEvent) event).getWindow(), "Keep Memory Changes");
    } catch (Problem anotherWindow) {
      // Which waits for its test.
    }
  }

  private void listen(File portFile) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
      File partial = new File(portFile + ".partial");
      Files.write(partial.toPath(), String.valueOf(server.getLocalPort()).getBytes(StandardCharsets.US_ASCII));
      Files.move(partial.toPath(), portFile.toPath());
      for (;;) {
        Socket socket = server.accept();
        new Thread(() -> serve(socket), "hawser test project").start();
      }
    }
  }

  private void serve(Socket socket) {
    Project[] project = new Project[1];
    try (BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(socket.getOutputStream(), true, "UTF-8")) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Map<String, Object> answer;
        try {
          answer = obey(project, Json.map(Json.parse(line)));
        } catch (Exception e) {
          answer = Json.object("problem", String.valueOf(e.getMessage()));
        }
        out.println(Json.write(answer));
        if (answer.containsKey("closed")) break;
      }
    } catch (IOException e) {
      // The test has ended.
    } finally {
      close(project);
    }
  }

  private Map<String, Object> obey(Project[] project, Map<String, Object> order) throws Exception {
    switch (Json.requiredString(order, "do")) {
      case "open":
        onEdt(() -> project[0] = open(Json.requiredString(order, "folder"), Json.list(order.get("command")), Json.map(order.get("variables"))));
        return Json.object("opened", true);
      case "action": // which may wait in a dialog
        ApplicationManager.getApplication().invokeLater(() -> perform(Json.string(order, "id"), project[0]));
        return Json.object("chosen", true);
      case "said":
        return Json.object("texts", new ArrayList<>(said));
      case "clipboard":
        return Json.object("text", CopyPasteManager.getInstance().getContents(DataFlavor.stringFlavor));
      case "press":
        onEdt(() -> {
          for (Window window : Window.getWindows()) {
            if (!window.isShowing()) continue;
            try {
              TestHands.press(window, Json.string(order, "button"));
              return;
            } catch (Problem inAnotherWindow) {
              // Look there.
            }
          }
          throw new Problem("No window shows " + order.get("button"));
        }, ModalityState.any()); // in a dialog, too
        return Json.object("pressed", true);
      case "window":
        ProposalWindow[] window = new ProposalWindow[1];
        onEdt(() -> window[0] = Hawser.of(project[0]).proposals.window());
        return window[0] == null ? Json.object() : Json.object("title", window[0].getTitle(), "text", window[0].text(), "remarks", window[0].remarks());
      case "edit":
        onEdt(() -> Hawser.of(project[0]).proposals.window().edit(Json.requiredString(order, "text")));
        return Json.object("edited", true);
      case "note":
        onEdt(() -> Hawser.of(project[0]).proposals.window().addNote(Json.requiredString(order, "text"), null));
        return Json.object("noted", true);
      case "review":
        onEdt(() -> Hawser.of(project[0]).proposals.reviewNext());
        return Json.object("reviewed", true);
      case "show":
        onEdt(() -> Hawser.of(project[0]).ide.open(Json.requiredString(order, "path"), true, Json.object()));
        return Json.object("shown", true);
      case "text":
        String[] text = new String[1];
        onEdt(() -> text[0] = FileDocumentManager.getInstance().getDocument(Hawser.of(project[0]).ide.openFile(Json.requiredString(order, "path"))).getText());
        return Json.object("text", text[0]);
      case "closeWindow":
        onEdt(() -> Hawser.of(project[0]).proposals.window().doCancelAction());
        return Json.object("closed window", true);
      case "toolWindow":
        onEdt(() -> ToolWindowManager.getInstance(project[0]).getToolWindow(QueueWindow.ID).show(null));
        return Json.object("shown", true);
      case "picture":
        Rectangle shown = new Rectangle();
        for (Window each : Window.getWindows()) if (each.isShowing()) shown = shown.isEmpty() ? each.getBounds() : shown.union(each.getBounds());
        ImageIO.write(new Robot().createScreenCapture(shown), "png", new File(Json.requiredString(order, "file")));
        return Json.object("taken", true);
      case "close":
        close(project);
        return Json.object("closed", true);
      default:
        throw new Problem("Unknown: " + order);
    }
  }

  private static void perform(String id, Project project) {
    AnAction action = ActionManager.getInstance().getAction(id);
    DataContext context = DataManager.getInstance().getDataContext(WindowManager.getInstance().getFrame(project).getRootPane());
    action.actionPerformed(AnActionEvent.createFromAnAction(action, null, ActionPlaces.MAIN_MENU, context));
  }

  private Project open(String folder, List<Object> command, Map<String, Object> given) throws Exception {
    new File(folder, ".idea").mkdir(); // without it the platform asks
    Project project = isHeadless() ? ProjectManager.getInstance().loadAndOpenProject(folder) : ProjectUtil.openProject(folder, null, true);
    if (project == null) throw new Problem("The project can't be opened: " + folder);
    if (!isHeadless()) WindowManager.getInstance().getFrame(project).setBounds(0, 0, 1240, 860);
    project.getMessageBus().connect().subscribe(Notifications.TOPIC, new NotificationsAdapter() {
      @Override
      public void notify(Notification notification) {
        said.add(notification.getContent());
      }
    });
    Map<String, String> variables = new HashMap<>(System.getenv());
    given.forEach((name, value) -> variables.put(name, String.valueOf(value)));
    List<String> started = new ArrayList<>();
    for (Object word : command) started.add(String.valueOf(word));
    StatusWidget.add(Hawser.start(project, started, variables, new TestHands()));
    return project;
  }

  private static void close(Project[] project) {
    Project closing = project[0];
    project[0] = null;
    if (closing == null) return;
    try {
      onEdt(() -> {
        if (!closing.isDisposed()) ProjectUtil.closeAndDispose(closing);
      });
      // The bridge, which writes into the folder that the test is about to remove.
      for (ProcessHandle child : (Iterable<ProcessHandle>) ProcessHandle.current().children()::iterator) child.onExit().get(20, TimeUnit.SECONDS);
    } catch (Exception e) {
      e.printStackTrace();
    }
  }

  private interface Act {
    void run() throws Exception;
  }

  private static void onEdt(Act act) throws Exception {
    onEdt(act, ModalityState.defaultModalityState());
  }

  private static void onEdt(Act act, ModalityState modality) throws Exception {
    Exception[] problem = new Exception[1];
    ApplicationManager.getApplication().invokeAndWait(() -> {
      try {
        act.run();
      } catch (Exception e) {
        problem[0] = e;
      }
    }, modality);
    if (problem[0] != null) throw problem[0];
  }
}
