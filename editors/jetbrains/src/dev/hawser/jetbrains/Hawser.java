package dev.hawser.jetbrains;

import com.intellij.notification.NotificationType;
import com.intellij.openapi.Disposable;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.Disposer;
import com.intellij.openapi.util.Key;
import com.intellij.util.EnvironmentUtil;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.swing.Timer;

/**
 * A project's line to its bridge: starts `hawser editor`, tells it what the user sees, and does what it asks for. One for each
 * open project, from {@link #start} until {@link #stop} or the end of the bridge. Its methods are called on the event dispatch
 * thread.
 */
final class Hawser implements Disposable, Link.Receiver, Ide.Listener {
  private static final Key<Hawser> KEY = Key.create("hawser");
  /** The user types faster than agents need to know. */
  private static final int STATE_DELAY_MS = 50;
  private static final int UNKNOWN_METHOD = -32601;
  private static final int FAILED = -32603;

  /** Requests for tests; empty in what users install. */
  interface Hands {
    List<String> names();

    Object act(Hawser hawser, String method, Map<String, Object> params) throws Problem;
  }

  final Ide ide;
  final Proposals proposals;
  /** The last `bridge/status`. */
  Map<String, Object> status = Collections.emptyMap();
  private final TextWriter writer;
  private final CodeInsight code;
  private final Hands hands;
  private final Timer stateTimer = new Timer(STATE_DELAY_MS, event -> sendState());
  private final Map<String, Object> sent = new HashMap<>();
  private String folder;
  private Link link;

  private Hawser(Project project, Hands hands) {
    ide = new Ide(project);
    writer = new TextWriter(ide);
    code = new CodeInsight(ide);
    proposals = new Proposals(this);
    this.hands = hands;
    stateTimer.setRepeats(false);
    Disposer.register(project, this);
  }

  /** Null if it was not started for this project. */
  static Hawser of(Project project) {
    return project == null ? null : project.getUserData(KEY);
  }

  /** Starts it, or the bridge again if that has ended. The property hawser.arguments has options of `hawser editor`. */
  static Hawser start(Project project) {
    String options = System.getProperty("hawser.arguments", "").trim();
    List<String> command = new ArrayList<>(Arrays.asList("hawser", "editor"));
    if (!options.isEmpty()) command.addAll(Arrays.asList(options.split("\\s+")));
    return start(project, command, EnvironmentUtil.getEnvironmentMap(), null);
  }

  static Hawser start(Project project, List<String> command, Map<String, String> variables, Hands hands) {
    Hawser hawser = of(project);
    if (hawser == null) {
      hawser = new Hawser(project, hands);
      project.putUserData(KEY, hawser);
      hawser.ide.watch(hawser, hawser);
    }
    if (hawser.link == null) hawser.connect(command, variables);
    return hawser;
  }

  boolean isRunning() {
    return link != null;
  }

  void stop() {
    if (link != null) link.close();
  }

  @Override
  public void dispose() {
    stop();
    stateTimer.stop();
    ide.project.putUserData(KEY, null);
  }

  /** Another folder than the project's is for tests. */
  void changeFolder(String path) {
    folder = path;
    notify("editor/didChangeFolders", Json.object("workspaceFolders", folders()));
  }

  void mention(String path, Map<String, Object> range) {
    notify("editor/mention", Json.object("uri", FileUri.of(path), "range", range.isEmpty() ? null : range));
  }

  void pause(boolean paused) {
    notify("editor/pause", Json.object("paused", paused));
  }

  boolean isPaused() {
    return Json.isTrue(status, "paused");
  }

  /** Fails if the bridge answers with an error, or does not run. */
  CompletableFuture<Map<String, Object>> ask(String method, Map<String, Object> params) {
    if (link != null) return link.request(method, params);
    CompletableFuture<Map<String, Object>> failure = new CompletableFuture<>();
    failure.completeExceptionally(new Problem("Hawser does not run in this project."));
    return failure;
  }

  /** The review in the browser. */
  void openPage() {
    ask("review/openPage", Json.object("open", true)).whenComplete((result, problem) -> Ide.later(() -> {
      if (problem != null) ide.say(problem.getMessage(), NotificationType.WARNING);
      else if (!Json.isTrue(result, "isOpen")) ide.offer("Open this link, once", Json.string(result, "link"));
    }));
  }

  private void connect(List<String> command, Map<String, String> variables) {
    List<String> found = new ArrayList<>(command);
    found.set(0, onPath(command.get(0), variables.get("PATH")));
    Process process;
    try {
      process = ide.start(found, variables);
    } catch (Problem e) {
      ide.say("hawser can't be started: install it (npm install --global hawser), then choose Tools | Hawser | Start.\n"
          + e.getMessage(), NotificationType.WARNING);
      return;
    }
    folder = ide.project.getBasePath();
    link = new Link(process, this);
    Link mine = link;
    mine.request("initialize", Json.object(
        "protocolVersion", 1,
        "clientInfo", Ide.product(),
        "workspaceFolders", folders(),
        "capabilities", capabilities())).whenComplete((result, problem) -> Ide.later(() -> {
          if (problem != null || link != mine) return;
          notify("initialized", Json.object());
          sent.clear();
          sendState();
          diagnosticsChanged();
        }));
  }

  private Map<String, Object> capabilities() {
    return Json.object(
        "showDocument", true, "documents", true, "save", true, "close", true, "diagnostics", true,
        "writeText", true, "format", true, "reload", true, "language", CodeInsight.METHODS,
        "proposals", Json.object("effects", Proposal.EFFECTS, "rounds", true),
        "test", hands == null ? null : hands.names());
  }

  private List<Object> folders() {
    try {
      return Collections.singletonList(Json.object("uri", FileUri.of(Ide.realPath(folder).toString())));
    } catch (Problem gone) {
      return Collections.emptyList();
    }
  }

  private static String onPath(String program, String path) {
    for (String folder : path == null ? new String[0] : path.split(File.pathSeparator)) {
      for (String ending : Arrays.asList("", ".cmd", ".exe")) {
        File file = new File(folder, program + ending);
        if (file.isFile() && file.canExecute()) return file.getPath();
      }
    }
    return program;
  }

  @Override
  public void stateChanged() {
    if (link != null && !stateTimer.isRunning()) stateTimer.restart();
  }

  @Override
  public void saved(String path) {
    notify("editor/didSave", Json.object("uri", FileUri.of(path)));
  }

  @Override
  public void diagnosticsChanged() {
    ide.diagnostics().forEach((uri, list) -> {
      Object before = sent.put(uri, list);
      boolean isSame = before == null ? list.isEmpty() : before.equals(list);
      if (!isSame) notify("textDocument/publishDiagnostics", Json.object("uri", uri, "diagnostics", list));
    });
  }

  @Override
  public void projectCloses() {
    proposals.end();
  }

  void sendState() {
    stateTimer.stop();
    if (ide.project.isDisposed()) return;
    notifyIfNew("editor/didChangeDocuments", Json.object("documents", ide.documents()));
    notifyIfNew("editor/didChangeSelection", ide.selection());
  }

  private void notifyIfNew(String method, Map<String, Object> params) {
    if (!params.equals(sent.put(method, params))) notify(method, params);
  }

  private void notify(String method, Map<String, Object> params) {
    if (link != null) link.notify(method, params);
  }

  @Override
  public void ended(String reason) {
    Ide.later(() -> {
      link = null;
      status = Collections.emptyMap();
      proposals.bridgeEnded();
      if (reason != null && !ide.project.isDisposed()) ide.say(reason, NotificationType.WARNING);
    });
  }

  @Override
  public void received(Link from, String method, Map<String, Object> params, Object id) {
    Ide.later(() -> {
      if (ide.project.isDisposed()) return;
      try {
        if (params.get("deadline") instanceof Long && (Long) params.get("deadline") < System.currentTimeMillis()) {
          throw new Problem("The IDE was busy for too long.");
        }
        if (CodeInsight.METHODS.contains(method)) {
          askInBackground(from, method, params, id);
          return;
        }
        Object result = handle(method, params);
        if (id == null) return;
        sendState();
        from.respond(id, result);
      } catch (UnknownMethod e) {
        if (id != null) from.fail(id, UNKNOWN_METHOD, "Unknown method: " + method);
      } catch (Problem e) {
        if (id != null) from.fail(id, FAILED, e.getMessage());
      } catch (RuntimeException e) {
        if (id != null) from.fail(id, FAILED, "The IDE failed: " + e);
        throw e;
      }
    });
  }

  private void askInBackground(Link from, String method, Map<String, Object> params, Object id) {
    code.prepare();
    Ide.inBackground(() -> {
      try {
        from.respond(id, code.ask(method, params));
      } catch (Problem e) {
        from.fail(id, FAILED, e.getMessage());
      } catch (RuntimeException e) {
        from.fail(id, FAILED, "The IDE failed: " + e);
        throw e;
      }
    });
  }

  private static final class UnknownMethod extends RuntimeException {}

  private Object handle(String method, Map<String, Object> params) throws Problem {
    switch (method) {
      case "window/showDocument":
        ide.open(pathIn(params), Json.isTrue(params, "takeFocus"), Json.map(params.get("selection")));
        return Json.object("success", true);
      case "editor/save":
        ide.save(pathIn(params));
        return null;
      case "editor/close":
        ide.close(pathIn(params));
        return null;
      case "editor/format":
        return Json.object("text", code.format(pathIn(params)));
      case "editor/writeText":
        write(pathIn(params), params);
        return null;
      case "workspace/didChangeWatchedFiles":
        ide.reload(pathsOf(Json.list(params.get("changes"))));
        return null;
      case "window/showMessage":
        ide.say(Json.requiredString(params, "message"), Json.integer(params, "type") == 1 ? NotificationType.ERROR
            : Json.integer(params, "type") == 2 ? NotificationType.WARNING : NotificationType.INFORMATION);
        return null;
      case "bridge/status":
        status = params;
        proposals.changed();
        return null;
      case "proposal/show":
      case "proposal/update":
        return Json.object("state", proposals.show(params) ? "shown" : "queued");
      case "proposal/progress":
        proposals.progress(Json.requiredString(params, "id"), Json.map(params.get("progress")));
        return null;
      case "proposal/close":
        proposals.close(Json.requiredString(params, "id"), Json.map(params.get("outcome")));
        return null;
      default:
        if (hands != null && hands.names().contains(method)) return hands.act(this, method, params);
        throw new UnknownMethod();
    }
  }

  private void write(String path, Map<String, Object> params) throws Problem {
    String text = Json.requiredString(params, "text");
    if (Json.isTrue(params, "isNewFile")) writer.create(path, text);
    else writer.replace(path, text, Json.requiredString(params, "expected"));
  }

  private static String pathIn(Map<String, Object> params) throws Problem {
    return FileUri.path(Json.requiredString(params, "uri"));
  }

  private static List<String> pathsOf(List<Object> changes) throws Problem {
    List<String> paths = new ArrayList<>();
    for (Object change : changes) paths.add(pathIn(Json.map(change)));
    return paths;
  }
}
