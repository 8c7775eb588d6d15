// @ts-check
// Classes that the platform's sources name and Debian has not: of Apple's, Windows' and a few libraries'. None is called on Linux,
// apart from those that return nothing.

/** Bodies by class name. */
export const STAND_INS = {
  'javax.activation.MimetypesFileTypeMap': `class MimetypesFileTypeMap {
    public MimetypesFileTypeMap() {} public MimetypesFileTypeMap(java.io.InputStream s) {}
    public String getContentType(String n) { return "application/octet-stream"; } public void addMimeTypes(String s) {} }`,
  'org.apache.commons.imaging.ImageFormat': 'interface ImageFormat { String getName(); String getExtension(); }',
  'org.apache.commons.imaging.ImageFormats': `enum ImageFormats implements ImageFormat { PNG, ICO, ICNS;
    public String getName() { return name(); } public String getExtension() { return name(); } }`,
  'org.apache.commons.imaging.ImageWriteException':
    'class ImageWriteException extends Exception { public ImageWriteException(String s) { super(s); } }',
  'org.apache.commons.imaging.Imaging': `class Imaging {
    public static byte[] writeImageToBytes(java.awt.image.BufferedImage i, ImageFormat f, java.util.Map<String, Object> p)
      throws java.io.IOException { return new byte[0]; } }`,
  'org.apache.commons.imaging.common.BinaryOutputStream': `class BinaryOutputStream extends java.io.OutputStream {
    final java.io.OutputStream out; public BinaryOutputStream(java.io.OutputStream o, java.nio.ByteOrder b) { out = o; }
    public void write(int b) throws java.io.IOException { out.write(b); }
    public void write4Bytes(int v) throws java.io.IOException {} public void write2Bytes(int v) throws java.io.IOException {} }`,
  'com.apple.eawt.Application': `class Application { public static Application getApplication() { return null; }
    public void setOpenURIHandler(OpenURIHandler h) {} public void requestToggleFullScreen(java.awt.Window w) {} }`,
  'com.apple.eawt.OpenURIHandler': 'interface OpenURIHandler { void openURI(AppEvent.OpenURIEvent e); }',
  'com.apple.eawt.AppEvent': `class AppEvent { public static class FullScreenEvent extends AppEvent {}
    public static class OpenURIEvent extends AppEvent { public java.net.URI getURI() { return null; } } }`,
  'com.apple.eawt.FullScreenListener': `interface FullScreenListener {
    void windowEnteringFullScreen(AppEvent.FullScreenEvent e); void windowEnteredFullScreen(AppEvent.FullScreenEvent e);
    void windowExitingFullScreen(AppEvent.FullScreenEvent e); void windowExitedFullScreen(AppEvent.FullScreenEvent e); }`,
  'com.apple.eawt.FullScreenAdapter': `class FullScreenAdapter implements FullScreenListener {
    public void windowEnteringFullScreen(AppEvent.FullScreenEvent e) {}
    public void windowEnteredFullScreen(AppEvent.FullScreenEvent e) {}
    public void windowExitingFullScreen(AppEvent.FullScreenEvent e) {}
    public void windowExitedFullScreen(AppEvent.FullScreenEvent e) {} }`,
  'com.apple.eawt.FullScreenUtilities': `class FullScreenUtilities {
    public static void setWindowCanFullScreen(java.awt.Window w, boolean b) {}
    public static void addFullScreenListenerTo(java.awt.Window w, FullScreenListener l) {} }`,
  'com.apple.eawt.event.GestureListener': 'interface GestureListener {}',
  'com.apple.eawt.event.PressureListener':
    'interface PressureListener extends GestureListener { void pressure(PressureEvent e); }',
  'com.apple.eawt.event.PressureEvent':
    'class PressureEvent { public double getStage() { return 0; } public void consume() {} }',
  'com.apple.eawt.event.GesturePhaseEvent': 'class GesturePhaseEvent {}',
  'com.apple.eawt.event.SwipeEvent': 'class SwipeEvent {}',
  'com.apple.eawt.event.MagnificationEvent':
    'class MagnificationEvent { public double getMagnification() { return 0; } }',
  'com.apple.eawt.event.GestureAdapter': `class GestureAdapter implements GestureListener {
    public void gestureBegan(GesturePhaseEvent e) {} public void gestureEnded(GesturePhaseEvent e) {}
    public void swipedLeft(SwipeEvent e) {} public void swipedRight(SwipeEvent e) {}
    public void magnify(MagnificationEvent e) {} }`,
  'com.apple.eawt.event.GestureUtilities': `class GestureUtilities {
    public static void addGestureListenerTo(javax.swing.JComponent c, GestureListener l) {}
    public static void removeGestureListenerFrom(javax.swing.JComponent c, GestureListener l) {} }`,
  'org.jvnet.winp.WinProcess': `class WinProcess { public WinProcess(Process p) {} public WinProcess(int p) {}
    public int getPid() { return 0; } public void kill() {} public void killRecursively() {}
    public boolean sendCtrlC() { return false; } }`,
  'com.pty4j.windows.WinPtyProcess':
    'abstract class WinPtyProcess extends Process { public int getChildProcessId() { return 0; } }',
  'com.pty4j.PtyProcessBuilder': `class PtyProcessBuilder { public PtyProcessBuilder(String[] c) {}
    public PtyProcessBuilder setEnvironment(java.util.Map<String, String> m) { return this; }
    public PtyProcessBuilder setDirectory(String d) { return this; }
    public PtyProcessBuilder setInitialColumns(Integer i) { return this; }
    public PtyProcessBuilder setInitialRows(Integer i) { return this; }
    public PtyProcessBuilder setConsole(boolean b) { return this; }
    public PtyProcessBuilder setCygwin(boolean b) { return this; }
    public PtyProcessBuilder setLogFile(java.io.File f) { return this; }
    public PtyProcessBuilder setRedirectErrorStream(boolean b) { return this; }
    public Process start() throws java.io.IOException { throw new java.io.IOException("no pty"); } }`,
  'com.intellij.ide.MacOSApplicationProvider': `class MacOSApplicationProvider {
    public static MacOSApplicationProvider getInstance() { return null; }
    public java.awt.color.ColorSpace getGenericRgbColorSpace() { return null; }
    public static boolean tryOpenFileList(com.intellij.openapi.project.Project p,
      java.util.List<? extends java.io.File> l, String s) { return false; } }`,
};
