import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * `Resources SOURCE RESOURCES CLASSES...`: makes what Debian's sources lack, and takes away what names classes that were not
 * built. Icons are blank, but for arrows, so that a picture shows the arrows of a diff.
 */
public class Resources {
  private static final Pattern ICON = Pattern.compile("\"/?([A-Za-z0-9_./@-]+\\.(?:png|svg))\"");
  private static final Pattern CLASS = Pattern.compile("(com\\.intellij|org\\.jetbrains|org\\.intellij)(\\.[a-z][\\w-]*)*(\\.[A-Z][\\w$]*)+");
  private static final String BLANK = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"16\" viewBox=\"0 0 16 16\">%s</svg>";
  private static final String ARROW = "<path d=\"M3 3 L8 8 L3 13 Z M8 3 L13 8 L8 13 Z\" fill=\"#3574F0\"/>";

  public static void main(String[] args) throws Exception {
    Path resources = Paths.get(args[1]);
    List<Path> classes = new ArrayList<>();
    for (int i = 2; i < args.length; i++) classes.add(Paths.get(args[i]));
    makeIcons(Paths.get(args[0]), resources);
    int dropped = 0;
    for (String folder : new String[] {"META-INF", "idea"}) {
      for (Path file : files(resources.resolve(folder), ".xml")) dropped += dropMissing(file, classes);
    }
    System.out.println(dropped + " registrations of classes that were not built are left out");
  }

  private static void makeIcons(Path source, Path resources) throws IOException {
    java.awt.image.BufferedImage blank = new java.awt.image.BufferedImage(16, 16, java.awt.image.BufferedImage.TYPE_INT_ARGB);
    for (Path file : files(source, ".java", ".kt", ".xml")) {
      Matcher icon = ICON.matcher(new String(Files.readAllBytes(file), "UTF-8"));
      while (icon.find()) {
        Path made = resources.resolve(icon.group(1)).normalize();
        if (!made.startsWith(resources) || Files.exists(made)) continue;
        Files.createDirectories(made.getParent());
        if (made.toString().endsWith(".png")) javax.imageio.ImageIO.write(blank, "png", made.toFile());
        else Files.write(made, String.format(BLANK, made.toString().toLowerCase().contains("arrow") ? ARROW : "").getBytes("UTF-8"));
      }
    }
  }

  private static int dropMissing(Path file, List<Path> classes) {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setNamespaceAware(true);
      factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
      Document document = factory.newDocumentBuilder().parse(file.toFile());
      int dropped = drop(document.getDocumentElement(), classes);
      if (dropped > 0) TransformerFactory.newInstance().newTransformer().transform(new DOMSource(document), new StreamResult(file.toFile()));
      return dropped;
    } catch (Exception notXml) {
      return 0;
    }
  }

  private static int drop(Element parent, List<Path> classes) {
    int dropped = 0;
    for (Element each : children(parent)) {
      if (!each.getTagName().equals("extensionPoint") && namesMissing(each, classes)) {
        parent.removeChild(each);
        dropped++;
      } else {
        dropped += drop(each, classes);
      }
    }
    return dropped;
  }

  private static boolean namesMissing(Element element, List<Path> classes) {
    for (int i = 0; i < element.getAttributes().getLength(); i++) {
      if (isMissing(element.getAttributes().item(i).getNodeValue(), classes)) return true;
    }
    if (!element.getTagName().equals("component")) return false;
    return children(element).stream().anyMatch(each -> isMissing(each.getTextContent().trim(), classes));
  }

  private static boolean isMissing(String name, List<Path> classes) {
    if (!CLASS.matcher(name).matches()) return false;
    String file = name.replace('.', '/');
    for (; file.contains("/"); file = file.replaceFirst("/([^/]*)$", "\\$$1")) {
      String path = file + ".class";
      if (classes.stream().anyMatch(each -> Files.exists(each.resolve(path)))) return false;
      if (!Character.isUpperCase(file.charAt(file.lastIndexOf('/') + 1))) break;
    }
    return true;
  }

  private static List<Element> children(Element parent) {
    List<Element> list = new ArrayList<>();
    NodeList nodes = parent.getChildNodes();
    for (int i = 0; i < nodes.getLength(); i++) if (nodes.item(i).getNodeType() == Node.ELEMENT_NODE) list.add((Element) nodes.item(i));
    return list;
  }

  private static List<Path> files(Path folder, String... endings) throws IOException {
    try (Stream<Path> all = Files.walk(folder, FileVisitOption.FOLLOW_LINKS)) {
      return all.filter(file -> Files.isRegularFile(file) && Stream.of(endings).anyMatch(file.toString()::endsWith)).collect(Collectors.toList());
    }
  }
}
