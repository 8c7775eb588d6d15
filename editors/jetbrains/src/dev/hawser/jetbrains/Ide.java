package dev.hawser.jetbrains;

import com.intellij.codeInsight.daemon.DaemonCodeAnalyzer;
import com.intellij.codeInsight.daemon.impl.HighlightInfo;
import com.intellij.execution.ExecutionException;
import com.intellij.execution.configurations.GeneralCommandLine;
import com.intellij.ide.IdeEventQueue;
import com.intellij.ide.scratch.ScratchRootType;
import com.intellij.lang.annotation.HighlightSeverity;
import com.intellij.notification.Notification;
import com.intellij.notification.NotificationType;
import com.intellij.notification.Notifications;
import com.intellij.openapi.Disposable;
import com.intellij.openapi.application.ApplicationInfo;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.application.ApplicationNamesInfo;
import com.intellij.openapi.application.ModalityState;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.editor.Editor;
import com.intellij.openapi.editor.EditorFactory;
import com.intellij.openapi.editor.ScrollType;
import com.intellij.openapi.editor.event.CaretEvent;
import com.intellij.openapi.editor.event.CaretListener;
import com.intellij.openapi.editor.event.DocumentEvent;
import com.intellij.openapi.editor.event.DocumentListener;
import com.intellij.openapi.editor.event.EditorEventMulticaster;
import com.intellij.openapi.editor.event.SelectionEvent;
import com.intellij.openapi.editor.event.SelectionListener;
import com.intellij.openapi.editor.impl.DocumentMarkupModel;
import com.intellij.openapi.editor.markup.RangeHighlighter;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.fileEditor.FileEditorManager;
import com.intellij.openapi.fileEditor.FileEditorManagerEvent;
import com.intellij.openapi.fileEditor.FileEditorManagerListener;
import com.intellij.openapi.fileEditor.OpenFileDescriptor;
import com.intellij.openapi.fileTypes.PlainTextLanguage;
import com.intellij.openapi.ide.CopyPasteManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.project.ProjectManager;
import com.intellij.openapi.project.ProjectManagerListener;
import com.intellij.openapi.vfs.LocalFileSystem;
import com.intellij.openapi.vfs.SavingRequestor;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.openapi.vfs.VirtualFileManager;
import com.intellij.openapi.vfs.newvfs.BulkFileListener;
import com.intellij.openapi.vfs.newvfs.events.VFileContentChangeEvent;
import com.intellij.openapi.vfs.newvfs.events.VFileEvent;
import com.intellij.util.messages.MessageBusConnection;
import java.awt.datatransfer.StringSelection;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the user sees in a project: files, selection, problems. The platform's own calls are here, in {@link TextWriter} and
 * {@link CodeInsight}, and in what the user sees of this plugin: its windows, menu and terminal. All methods are called on the event dispatch thread, except where
 * one says otherwise.
 */
final class Ide {
  /** Called on the event dispatch thread. */
  interface Listener {
    void stateChanged();

    void saved(String path);

    void diagnosticsChanged();

    /** The user closes the project, which is open still. */
    void projectCloses();
  }

  private static final int MAX_SELECTION_CHARS = 256 << 10;

  final Project project;

  Ide(Project project) {
    this.project = project;
  }

  /** Runs it on the event dispatch thread, when no dialog keeps it from changing files. Any thread. */
  static void later(Runnable run) {
    ApplicationManager.getApplication().invokeLater(run, ModalityState.defaultModalityState());
  }

  /** Runs it on another thread. Any thread. */
  static void inBackground(Runnable run) {
    ApplicationManager.getApplication().executeOnPooledThread(run);
  }

  /** What a bridge calls this editor. */
  static Map<String, Object> product() {
    return Json.object(
        "name", ApplicationNamesInfo.getInstance().getFullProductName(),
        "version", ApplicationInfo.getInstance().getFullVersion());
  }

  /** For how long the user has done nothing. */
  static long idleMs() {
    return ApplicationManager.getApplication().isHeadlessEnvironment() ? Long.MAX_VALUE : IdeEventQueue.getInstance().getIdleTime();
  }

  Process start(List<String> command, Map<String, String> variables) throws Problem {
    try {
      return new GeneralCommandLine(command).withWorkDirectory(project.getBasePath()).withEnvironment(variables).createProcess();
    } catch (ExecutionException e) {
      throw new Problem(e.getMessage());
    }
  }

  void watch(Listener listener, Disposable parent) {
    EditorEventMulticaster editors = EditorFactory.getInstance().getEventMulticaster();
    editors.addCaretListener(new CaretListener() {
      @Override
      public void caretPositionChanged(CaretEvent event) {
        if (event.getEditor().getProject() == project) listener.stateChanged();
      }
    }, parent);
    editors.addSelectionListener(new SelectionListener() {
      @Override
      public void selectionChanged(SelectionEvent event) {
        if (event.getEditor().getProject() == project) listener.stateChanged();
      }
    }, parent);
    editors.addDocumentListener(new DocumentListener() {
      @Override
      public void documentChanged(DocumentEvent event) {
        listener.stateChanged();
      }
    }, parent);
    MessageBusConnection bus = project.getMessageBus().connect(parent);
    bus.subscribe(FileEditorManagerListener.FILE_EDITOR_MANAGER, new FileEditorManagerListener() {
      @Override
      public void fileOpened(FileEditorManager source, VirtualFile file) {
        listener.stateChanged();
      }

      @Override
      public void fileClosed(FileEditorManager source, VirtualFile file) {
        listener.stateChanged();
      }

      @Override
      public void selectionChanged(FileEditorManagerEvent event) {
        listener.stateChanged();
      }
    });
    bus.subscribe(ProjectManager.TOPIC, new ProjectManagerListener() {
      @Override
      public void projectClosing(Project closing) {
        if (closing == project) listener.projectCloses();
      }
    });
    bus.subscribe(DaemonCodeAnalyzer.DAEMON_EVENT_TOPIC, new DaemonCodeAnalyzer.DaemonListener() {
      @Override
      public void daemonFinished() {
        later(listener::diagnosticsChanged);
      }
    });
    bus.subscribe(VirtualFileManager.VFS_CHANGES, new BulkFileListener() {
      @Override
      public void after(List<? extends VFileEvent> events) {
        for (VFileEvent event : events) {
          if (event instanceof VFileContentChangeEvent && event.getRequestor() instanceof SavingRequestor) listener.saved(event.getPath());
        }
        listener.stateChanged();
      }
    });
  }

  List<Object> documents() {
    VirtualFile active = activeFile();
    FileDocumentManager documents = FileDocumentManager.getInstance();
    List<Object> list = new ArrayList<>();
    for (VirtualFile file : openFiles()) {
      Document document = documents.getDocument(file);
      list.add(Json.object(
          "uri", uriOf(file),
          "lineCount", document == null ? null : Texts.lineCount(document),
          "isActive", file.equals(active),
          "isDirty", documents.isFileModified(file)));
    }
    return list;
  }

  /** Without a `uri` if there is no text editor. */
  Map<String, Object> selection() {
    Editor editor = FileEditorManager.getInstance(project).getSelectedTextEditor();
    VirtualFile file = editor == null ? null : FileDocumentManager.getInstance().getFile(editor.getDocument());
    if (file == null || !file.isInLocalFileSystem()) return Json.object();
    int start = editor.getSelectionModel().getSelectionStart();
    int end = Math.min(editor.getSelectionModel().getSelectionEnd(), start + MAX_SELECTION_CHARS);
    CharSequence text = editor.getDocument().getImmutableCharSequence();
    if (start < end && end < text.length() && Character.isLowSurrogate(text.charAt(end))) end--;
    String selected = text.subSequence(start, end).toString().replace("\n", TextWriter.lineEndOf(file, project));
    return Json.object("uri", uriOf(file), "range", Texts.range(editor.getDocument(), start, end), "text", selected);
  }

  /** Opens it in front, or in a tab behind the one that the user looks at. */
  void open(String path, boolean takesFocus, Map<String, Object> selection) throws Problem {
    VirtualFile file = fileAt(path);
    FileEditorManager manager = FileEditorManager.getInstance(project);
    if (!selection.isEmpty()) {
      select(manager.openTextEditor(new OpenFileDescriptor(project, file), takesFocus), selection, path);
      return;
    }
    VirtualFile before = activeFile();
    if (manager.openFile(file, takesFocus).length == 0) throw new Problem("It can't be opened: " + path);
    if (!takesFocus && before != null && !before.equals(file)) manager.openFile(before, false);
  }

  private static void select(Editor editor, Map<String, Object> range, String path) throws Problem {
    if (editor == null) throw new Problem("It is not a text: " + path);
    int start = Texts.offset(editor.getDocument(), Json.map(range.get("start")));
    int end = Texts.offset(editor.getDocument(), Json.map(range.get("end")));
    editor.getCaretModel().moveToOffset(end);
    editor.getSelectionModel().setSelection(start, end);
    editor.getScrollingModel().scrollToCaret(ScrollType.MAKE_VISIBLE);
  }

  /** The user's own save: what the IDE does on saving, it does now. */
  void save(String path) throws Problem {
    VirtualFile file = openFile(path);
    FileDocumentManager documents = FileDocumentManager.getInstance();
    Document document = documents.getDocument(file);
    if (document == null || !documents.isDocumentUnsaved(document)) return;
    TextWriter.mustBeWritable(file);
    TextWriter.mustBeAsLoaded(file);
    TextWriter.mustBeEncodable(file.getCharset(), document.getText(), path);
    documents.saveDocument(document);
    if (documents.isDocumentUnsaved(document)) throw new Problem("It could not be saved: " + path);
  }

  void close(String path) throws Problem {
    VirtualFile file = openFile(path);
    if (FileDocumentManager.getInstance().isFileModified(file)) throw new Problem(path + " has unsaved text");
    FileEditorManager.getInstance(project).closeFile(file);
  }

  /** Reads again what has changed on disk, where the user has no unsaved text. */
  void reload(List<String> paths) {
    List<VirtualFile> files = new ArrayList<>();
    for (String path : paths) {
      VirtualFile file = LocalFileSystem.getInstance().findFileByPath(path.replace(File.separatorChar, '/'));
      if (file == null) LocalFileSystem.getInstance().refreshAndFindFileByIoFile(new File(path));
      else if (!FileDocumentManager.getInstance().isFileModified(file)) files.add(file);
    }
    LocalFileSystem.getInstance().refreshFiles(files, true, false, null);
  }

  /** LSP's diagnostics of each open file, by URI. */
  Map<String, List<Object>> diagnostics() {
    Map<String, List<Object>> all = new LinkedHashMap<>();
    for (VirtualFile file : openFiles()) {
      Document document = FileDocumentManager.getInstance().getDocument(file);
      if (document == null) continue;
      int length = document.getTextLength();
      List<Object> list = new ArrayList<>();
      for (RangeHighlighter marker : DocumentMarkupModel.forDocument(document, project, true).getAllHighlighters()) {
        HighlightInfo info = HighlightInfo.fromRangeHighlighter(marker);
        if (info == null || info.getDescription() == null) continue;
        int severity = severityOf(info.getSeverity());
        if (severity == 0) continue;
        Object range = Texts.range(document, Math.min(marker.getStartOffset(), length), Math.min(marker.getEndOffset(), length));
        list.add(Json.object("range", range, "message", info.getDescription(), "severity", severity));
      }
      all.put(uriOf(file), list);
    }
    return all;
  }

  /** 0 for what is only coloured. */
  private static int severityOf(HighlightSeverity severity) {
    if (severity.compareTo(HighlightSeverity.ERROR) >= 0) return 1;
    if (severity.compareTo(HighlightSeverity.WARNING) >= 0) return 2;
    return severity.compareTo(HighlightSeverity.WEAK_WARNING) >= 0 ? 3 : 0;
  }

  /** A balloon. Any thread. */
  void say(String text, NotificationType type) {
    Notifications.Bus.notify(new Notification("Hawser", "Hawser", Texts.html(text), type), project);
  }

  /** A balloon with something that the user needs elsewhere, and has in the clipboard. */
  void offer(String what, String text) {
    CopyPasteManager.getInstance().setContents(new StringSelection(text));
    say(what + " (it is in the clipboard): " + text, NotificationType.INFORMATION);
  }

  /** Keeps a text that the user has typed, as a scratch file in a tab. */
  void keep(String title, String text) {
    String name = title.replaceAll("[^\\p{L}\\p{N}. -]", " ").trim();
    VirtualFile file = ScratchRootType.getInstance().createScratchFile(project, name, PlainTextLanguage.INSTANCE, text);
    if (file != null) FileEditorManager.getInstance(project).openFile(file, false);
  }

  /** The file, which may be a link. */
  VirtualFile fileAt(String path) throws Problem {
    VirtualFile file = LocalFileSystem.getInstance().refreshAndFindFileByIoFile(realPath(path).toFile());
    if (file == null) throw new Problem("There is no such file: " + path);
    if (file.isDirectory()) throw new Problem("It is a folder: " + path);
    return file;
  }

  VirtualFile openFile(String path) throws Problem {
    VirtualFile file = fileAt(path);
    if (!FileEditorManager.getInstance(project).isFileOpen(file)) throw new Problem("It is not open: " + path);
    return file;
  }

  VirtualFile activeFile() {
    FileEditorManager manager = FileEditorManager.getInstance(project);
    Editor editor = manager.getSelectedTextEditor();
    VirtualFile file = editor == null ? null : FileDocumentManager.getInstance().getFile(editor.getDocument());
    if (file == null && manager.getSelectedFiles().length > 0) file = manager.getSelectedFiles()[0];
    return file != null && file.isInLocalFileSystem() ? file : null;
  }

  private List<VirtualFile> openFiles() {
    List<VirtualFile> files = new ArrayList<>();
    for (VirtualFile file : FileEditorManager.getInstance(project).getOpenFiles()) {
      if (file.isInLocalFileSystem() && file.isValid()) files.add(file);
    }
    return files;
  }

  static String uriOf(VirtualFile file) {
    try {
      return FileUri.of(realPath(file.getPath()).toString());
    } catch (Problem gone) {
      return FileUri.of(file.getPath());
    }
  }

  static Path realPath(String path) throws Problem {
    try {
      return Paths.get(path).toRealPath();
    } catch (IOException | RuntimeException e) {
      if (Files.isSymbolicLink(Paths.get(path))) throw new Problem("It is a link to nothing: " + path);
      throw new Problem("There is no such file: " + path);
    }
  }
}
