package dev.hawser.jetbrains;

import com.intellij.openapi.command.WriteCommandAction;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VfsUtil;
import com.intellij.openapi.vfs.VirtualFile;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;

/** Writes texts that the user has accepted: exactly, undone in one step, or not at all. Called on the event dispatch thread. */
final class TextWriter {
  /** In the menu Edit: Undo Agent's Change. */
  private static final String COMMAND = "Agent's Change";

  private final Ide ide;

  TextWriter(Ide ide) {
    this.ide = ide;
  }

  void create(String path, String text) throws Problem {
    if (Files.exists(Paths.get(path), LinkOption.NOFOLLOW_LINKS)) throw new Problem("There is a file already: " + path);
    inCommand(() -> {
      VirtualFile folder = VfsUtil.createDirectories(new File(path).getParent().replace(File.separatorChar, '/'));
      VirtualFile file = folder.createChildData(this, new File(path).getName());
      file.setCharset(StandardCharsets.UTF_8);
      file.setBinaryContent(text.getBytes(StandardCharsets.UTF_8));
    });
    ide.open(path, false, Json.object());
  }

  void replace(String path, String text, String expected) throws Problem {
    VirtualFile file = ide.fileAt(path);
    FileDocumentManager documents = FileDocumentManager.getInstance();
    if (documents.isFileModified(file)) throw new Problem(path + " has unsaved text");
    mustBeWritable(file);
    file.refresh(false, false);
    Document document = documents.getDocument(file); // finds out its charset
    byte[] before = bytesOf(file);
    byte[] mark = file.getBOM() == null ? new byte[0] : file.getBOM();
    Charset charset = charsetOf(before, mark, file.getCharset(), expected);
    if (charset == null) throw new Problem("It is not what the change was made for: " + path);
    mustBeEncodable(charset, text, path);
    byte[] after = joined(mark, text.getBytes(charset));
    boolean isOneCharset = charset.equals(file.getCharset());
    inCommand(() -> {
      String lineEnd = Texts.lineEnd(text);
      if (document != null && lineEnd != null && isOneCharset) {
        if (text.indexOf('\n') >= 0) file.setDetectedLineSeparator(lineEnd);
        document.setText(text.replace("\r\n", "\n"));
        documents.saveDocumentAsIs(document);
      }
      if (!isOneCharset) file.setCharset(charset);
      // What a Document can't hold, such as lines that end in two ways.
      if (!Arrays.equals(after, bytesOf(file))) file.setBinaryContent(after);
    });
    ide.open(path, false, Json.object());
  }

  private interface Write {
    void run() throws IOException, Problem;
  }

  private void inCommand(Write write) throws Problem {
    Problem[] problem = new Problem[1];
    // A group id would merge this with the next change into one undo step.
    WriteCommandAction.runWriteCommandAction(ide.project, COMMAND, null, () -> {
      try {
        write.run();
      } catch (IOException e) {
        problem[0] = new Problem("It could not be written: " + e.getMessage());
      } catch (Problem e) {
        problem[0] = e;
      }
    });
    if (problem[0] != null) throw problem[0];
  }

  static void mustBeWritable(VirtualFile file) throws Problem {
    Path path = Paths.get(file.getPath());
    // root can write what is read-only, and should not.
    boolean isReadOnly = !file.isWritable() || !Files.isWritable(path) || !hasWritePermission(path);
    if (isReadOnly) throw new Problem("It is read-only: " + file.getPath());
  }

  private static boolean hasWritePermission(Path path) {
    try {
      return Files.getPosixFilePermissions(path).stream().anyMatch(each -> each.name().endsWith("_WRITE"));
    } catch (IOException | UnsupportedOperationException e) {
      return true;
    }
  }

  /** The file on disk is the one that the IDE has read. */
  static void mustBeAsLoaded(VirtualFile file) throws Problem {
    File disk = new File(file.getPath());
    if (disk.lastModified() != file.getTimeStamp() || disk.length() != file.getLength()) {
      throw new Problem("It has changed on disk: " + file.getPath());
    }
  }

  static void mustBeEncodable(Charset charset, String text, String path) throws Problem {
    if (!charset.newEncoder().canEncode(text)) throw new Problem("It can't be written as " + charset + ": " + path);
  }

  /** The charset in which the file has the expected text: the IDE's, or Latin-1, which the bridge takes for what is no UTF-8. */
  private static Charset charsetOf(byte[] bytes, byte[] mark, Charset own, String expected) {
    for (Charset charset : new Charset[] {own, StandardCharsets.ISO_8859_1}) {
      if (expected.equals(decoded(bytes, mark, charset))) return charset;
    }
    return null;
  }

  static String lineEndOf(VirtualFile file, Project project) {
    return FileDocumentManager.getInstance().getLineSeparator(file, project);
  }

  private static byte[] bytesOf(VirtualFile file) throws Problem {
    try {
      return Files.readAllBytes(Paths.get(file.getPath()));
    } catch (IOException e) {
      throw new Problem("It can't be read: " + e.getMessage());
    }
  }

  /** Null if it is not in that charset. */
  private static String decoded(byte[] bytes, byte[] mark, Charset charset) {
    if (!Arrays.equals(mark, Arrays.copyOf(bytes, mark.length))) return null;
    try {
      return charset.newDecoder().decode(ByteBuffer.wrap(bytes, mark.length, bytes.length - mark.length)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private static byte[] joined(byte[] first, byte[] second) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(first, 0, first.length);
    all.write(second, 0, second.length);
    return all.toByteArray();
  }
}
