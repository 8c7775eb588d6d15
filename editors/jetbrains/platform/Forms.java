import com.intellij.compiler.instrumentation.InstrumentationClassFinder;
import com.intellij.compiler.instrumentation.InstrumenterClassWriter;
import com.intellij.uiDesigner.compiler.AsmCodeGenerator;
import com.intellij.uiDesigner.compiler.NestedFormLoader;
import com.intellij.uiDesigner.compiler.Utils;
import com.intellij.uiDesigner.lw.CompiledClassPropertiesProvider;
import com.intellij.uiDesigner.lw.LwRootContainer;
import java.io.File;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassWriter;

/** `Forms CLASSES CLASSPATH LIST`: puts the layouts of the listed .form files into the classes that they belong to. */
public class Forms implements NestedFormLoader {
  private final File classes;
  private final InstrumentationClassFinder finder;
  private final List<String> files;

  private Forms(File classes, InstrumentationClassFinder finder, List<String> files) {
    this.classes = classes;
    this.finder = finder;
    this.files = files;
  }

  public static void main(String[] args) throws Exception {
    List<URL> path = new ArrayList<>();
    for (String each : args[1].split(":")) path.add(new File(each).toURI().toURL());
    URL jdk = InstrumentationClassFinder.createJDKPlatformUrl(System.getProperty("java.home"));
    InstrumentationClassFinder finder = new InstrumentationClassFinder(new URL[] {jdk}, path.toArray(new URL[0]));
    Forms forms = new Forms(new File(args[0]), finder, Files.readAllLines(Paths.get(args[2])));
    for (String file : forms.files) forms.compile(file);
  }

  private void compile(String file) throws Exception {
    LwRootContainer root = read(file);
    if (root.getClassToBind() == null) return;
    InstrumenterClassWriter writer = new InstrumenterClassWriter(ClassWriter.COMPUTE_FRAMES, finder);
    AsmCodeGenerator generator = new AsmCodeGenerator(root, finder, this, false, writer);
    generator.patchFile(classFile(root.getClassToBind().replace('.', '/')));
    if (generator.getErrors().length > 0) throw new Exception(file + ": " + generator.getErrors()[0].getErrorMessage());
  }

  private LwRootContainer read(String file) throws Exception {
    return Utils.getRootContainer(new File(file).toURI().toURL(), new CompiledClassPropertiesProvider(finder.getLoader()));
  }

  /** A form names an inner class as if it were in a package. */
  private File classFile(String name) {
    File file = new File(classes, name + ".class");
    return file.exists() || !name.contains("/") ? file : classFile(name.replaceFirst("/([^/]*)$", "\\$$1"));
  }

  @Override
  public LwRootContainer loadForm(String name) throws Exception {
    for (String file : files) if (file.endsWith("/" + name)) return read(file);
    throw new Exception("No form " + name);
  }

  @Override
  public String getClassToBindName(LwRootContainer container) {
    return container.getClassToBind();
  }
}
