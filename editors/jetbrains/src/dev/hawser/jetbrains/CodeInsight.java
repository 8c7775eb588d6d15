package dev.hawser.jetbrains;

import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.command.WriteCommandAction;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.project.DumbService;
import com.intellij.openapi.util.TextRange;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.psi.PsiDocumentManager;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiFile;
import com.intellij.psi.PsiFileFactory;
import com.intellij.psi.PsiManager;
import com.intellij.psi.PsiNameIdentifierOwner;
import com.intellij.psi.PsiNamedElement;
import com.intellij.psi.PsiReference;
import com.intellij.psi.codeStyle.CodeStyleManager;
import com.intellij.psi.search.searches.ReferencesSearch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the IDE knows of code, in languages that it has. */
final class CodeInsight {
  static final List<String> METHODS =
      Arrays.asList("textDocument/definition", "textDocument/references", "textDocument/rename");
  private static final int MAX_RESULTS = 1000;

  private final Ide ide;

  CodeInsight(Ide ide) {
    this.ide = ide;
  }

  /** What the formatter makes of the text. Changes a copy only. Called on the event dispatch thread. */
  String format(String path) throws Problem {
    VirtualFile file = ide.openFile(path);
    PsiFile code = psiOf(file, path);
    String[] formatted = new String[1];
    WriteCommandAction.runWriteCommandAction(ide.project, () -> {
      PsiDocumentManager.getInstance(ide.project).commitAllDocuments();
      PsiFile copy = PsiFileFactory.getInstance(ide.project).createFileFromText(file.getName(), code.getLanguage(), code.getText());
      CodeStyleManager.getInstance(ide.project).reformat(copy);
      formatted[0] = copy.getText();
    });
    return formatted[0].replace("\n", TextWriter.lineEndOf(file, ide.project));
  }

  /** The unsaved text becomes what the IDE knows. Call it on the event dispatch thread before {@link #ask}. */
  void prepare() {
    PsiDocumentManager.getInstance(ide.project).commitAllDocuments();
  }

  /**
   * The result of a request of LSP. Waits while the IDE indexes, reads for long, and starts again when the user types: not for the
   * event dispatch thread.
   */
  Object ask(String method, Map<String, Object> params) throws Problem {
    String path = FileUri.path(Json.requiredString(Json.map(params.get("textDocument")), "uri"));
    VirtualFile file = ide.fileAt(path);
    Object[] result = new Object[1];
    Problem[] problem = new Problem[1];
    Runnable look = () -> {
      problem[0] = null;
      try {
        if (ide.project.isDisposed()) throw new Problem("The project is closed.");
        if (DumbService.isDumb(ide.project)) throw new Problem("The IDE is indexing. Try again later.");
        result[0] = answer(method, params, psiOf(file, path));
      } catch (Problem e) {
        problem[0] = e;
      }
    };
    DumbService.getInstance(ide.project).waitForSmartMode();
    while (!ProgressManager.getInstance().runInReadActionWithWriteActionPriority(look, null)) {
      ApplicationManager.getApplication().runReadAction(() -> {}); // waits for the user's change
    }
    if (problem[0] != null) throw problem[0];
    return result[0];
  }

  private Object answer(String method, Map<String, Object> params, PsiFile code) throws Problem {
    PsiElement target = targetAt(code, Json.map(params.get("position")));
    switch (method) {
      case "textDocument/definition":
        return target == null ? null : Collections.singletonList(locationOf(definitionOf(target)));
      case "textDocument/references":
        return target == null ? null : references(target, Json.isTrue(Json.map(params.get("context")), "includeDeclaration"));
      default:
        return rename(target, Json.requiredString(params, "newName"));
    }
  }

  private List<Object> references(PsiElement target, boolean withDeclaration) throws Problem {
    List<Object> locations = new ArrayList<>();
    if (withDeclaration) locations.add(locationOf(definitionOf(target)));
    for (PsiReference reference : ReferencesSearch.search(target)) {
      if (locations.size() >= MAX_RESULTS) break;
      locations.add(locationOf(placeOf(reference)));
    }
    return locations;
  }

  /** Edits of texts only: what has the name of its file would need that renamed, too. */
  private Object rename(PsiElement target, String newName) throws Problem {
    String name = target instanceof PsiNameIdentifierOwner ? ((PsiNamedElement) target).getName() : null;
    if (name == null) throw new Problem("There is nothing to rename.");
    if (target.getParent() instanceof PsiFile && name.equals(definitionOf(target).file.getNameWithoutExtension())) {
      throw new Problem("Its file has the same name, and an agent can't rename files: rename it in the IDE.");
    }
    Map<String, Set<Object>> edits = new LinkedHashMap<>();
    for (PsiElement each : namesakes(target, name)) {
      addEdit(edits, definitionOf(each), newName);
      for (PsiReference reference : ReferencesSearch.search(each)) addEdit(edits, placeOf(reference), newName);
    }
    Map<String, Object> changes = new LinkedHashMap<>();
    edits.forEach((uri, list) -> changes.put(uri, new ArrayList<>(list)));
    return Json.object("changes", changes);
  }

  /** It, and its members that bear its name, as constructors do. */
  private static List<PsiElement> namesakes(PsiElement target, String name) {
    List<PsiElement> all = new ArrayList<>(Arrays.asList(target.getChildren()));
    all.removeIf(each -> !(each instanceof PsiNameIdentifierOwner) || !name.equals(((PsiNamedElement) each).getName()));
    all.add(0, target);
    return all;
  }

  private static void addEdit(Map<String, Set<Object>> edits, Place place, String newName) {
    Set<Object> ofFile = edits.computeIfAbsent(Ide.uriOf(place.file), uri -> new LinkedHashSet<>());
    ofFile.add(Json.object("range", place.range(), "newText", newName));
  }

  /** What the name at the position stands for. */
  private PsiElement targetAt(PsiFile code, Map<String, Object> position) {
    Document document = PsiDocumentManager.getInstance(ide.project).getDocument(code);
    if (document == null) return null;
    int offset = Texts.offset(document, position);
    PsiReference reference = code.findReferenceAt(offset);
    if (reference != null) return reference.resolve();
    for (PsiElement element = code.findElementAt(offset); element != null && element != code; element = element.getParent()) {
      if (!(element instanceof PsiNameIdentifierOwner)) continue;
      PsiElement name = ((PsiNameIdentifierOwner) element).getNameIdentifier();
      return name != null && name.getTextRange().containsOffset(offset) ? element : null;
    }
    return null;
  }

  private PsiFile psiOf(VirtualFile file, String path) throws Problem {
    PsiFile code = PsiManager.getInstance(ide.project).findFile(file);
    if (code == null) throw new Problem("The IDE has no language for it: " + path);
    return code;
  }

  private static final class Place {
    final VirtualFile file;
    final TextRange text;

    Place(PsiElement element, TextRange text) throws Problem {
      this.file = element.getContainingFile() == null ? null : element.getContainingFile().getVirtualFile();
      this.text = text;
      if (file == null || !file.isInLocalFileSystem()) throw new Problem("It is not in a file of this project.");
    }

    Map<String, Object> range() {
      return Texts.range(FileDocumentManager.getInstance().getDocument(file), text.getStartOffset(), text.getEndOffset());
    }
  }

  private static Place definitionOf(PsiElement target) throws Problem {
    PsiElement name = target instanceof PsiNameIdentifierOwner ? ((PsiNameIdentifierOwner) target).getNameIdentifier() : null;
    PsiElement element = name == null ? target : name;
    return new Place(element, element.getTextRange());
  }

  private static Place placeOf(PsiReference reference) throws Problem {
    PsiElement element = reference.getElement();
    return new Place(element, reference.getRangeInElement().shiftRight(element.getTextRange().getStartOffset()));
  }

  private static Map<String, Object> locationOf(Place place) {
    return Json.object("uri", Ide.uriOf(place.file), "range", place.range());
  }
}
