package dev.hawser.jetbrains;

import com.intellij.notification.NotificationType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The changes that wait for the user in one project, and the window that shows one of them. */
final class Proposals {
  /** Someone who types is not interrupted: the proposal waits in the tool window. */
  private static final int IDLE_MS = 1500;

  private final Hawser hawser;
  private final Map<String, Proposal> open = new LinkedHashMap<>();
  private final List<Runnable> listeners = new ArrayList<>();
  private ProposalWindow window;

  Proposals(Hawser hawser) {
    this.hawser = hawser;
  }

  List<Proposal> list() {
    return new ArrayList<>(open.values());
  }

  Proposal find(String id) throws Problem {
    Proposal proposal = open.get(id);
    if (proposal == null) throw new Problem("There is no such proposal.");
    return proposal;
  }

  /** Called after each change of the list or of the bridge's status. */
  void onChange(Runnable listener) {
    listeners.add(listener);
  }

  void changed() {
    for (Runnable listener : listeners) listener.run();
  }

  /** Takes a new proposal or a new revision. Returns whether it is on the screen. */
  boolean show(Map<String, Object> sent) throws Problem {
    Proposal before = open.get(Json.requiredString(sent, "id"));
    Proposal proposal = new Proposal(sent, before);
    open.put(proposal.id, proposal);
    changed();
    if (before == null) keepDecidedHunks(proposal);
    if (isShown(proposal.id)) {
      window.show(proposal);
    } else if (window == null && mayInterrupt()) {
      openWindow(proposal);
    } else if (before == null) {
      hawser.ide.say(proposal.title(), NotificationType.INFORMATION);
    }
    return isShown(proposal.id);
  }

  boolean isShown(String id) {
    return window != null && window.proposal().id.equals(id);
  }

  /** Shows it, because the user wants to see it. */
  void review(Proposal proposal) {
    if (!isShown(proposal.id)) {
      closeWindow();
      openWindow(proposal);
    }
    window.toFront();
  }

  void reviewNext() {
    if (window != null) window.toFront();
    else if (!open.isEmpty()) review(open.values().iterator().next());
    else hawser.ide.say("No change waits for you.", NotificationType.INFORMATION);
  }

  /** Sends the user's decision. The bridge closes the proposal, or says why it can't be. */
  void decide(Proposal proposal, String kind) {
    Map<String, Object> decision = proposal.decision(kind);
    if (!"changesRequested".equals(kind) || proposal.editedText == null) {
      send(proposal, decision);
      return;
    }
    // The next round leaves out what the user has taken back in this one.
    String text = proposal.editedText;
    hawser.ask("proposal/hunks", Json.object("id", proposal.id, "text", text)).whenComplete((result, problem) -> Ide.later(() -> {
      if (problem == null) decision.put("marks", Hunks.marks(proposal, Json.list(result.get("hunks")), text));
      send(proposal, decision);
    }));
  }

  private void send(Proposal proposal, Map<String, Object> decision) {
    Map<String, Object> params = Json.object("id", proposal.id, "revision", proposal.revision(), "decision", decision);
    hawser.ask("proposal/decide", params).whenComplete((result, problem) -> Ide.later(() -> {
      if (problem != null) failed(proposal, problem.getMessage());
      else if ("failed".equals(result.get("kind"))) failed(proposal, Json.string(result, "reason"));
      else if ("stale".equals(result.get("kind"))) failed(proposal, "The file has just changed. Look at it again.");
    }));
  }

  void progress(String id, Map<String, Object> progress) {
    Proposal proposal = open.get(id);
    if (proposal == null) return;
    switch (String.valueOf(progress.get("kind"))) {
      case "failed":
        failed(proposal, Json.string(progress, "reason"));
        return;
      case "applying":
        proposal.progress = "is being written";
        break;
      case "decided":
        proposal.progress = progress.get("decision") + ", waits for the rest of its set";
        break;
      default:
        proposal.progress = "";
    }
    changed();
    if (isShown(id)) window.show(proposal);
  }

  void close(String id, Map<String, Object> outcome) {
    Proposal proposal = open.remove(id);
    if (proposal == null) return;
    boolean wasShown = isShown(id);
    boolean wasMine = wasShown && window.hasDecided();
    if (wasShown) closeWindow();
    if (!wasMine) sayHowItEnded(proposal, outcome);
    changed();
    if (wasShown && !open.isEmpty() && (wasMine || mayInterrupt())) openWindow(open.values().iterator().next());
  }

  /** What the user has typed stays in the window. */
  void bridgeEnded() {
    open.values().removeIf(proposal -> !isShown(proposal.id) || proposal.editedText == null);
    if (window != null && open.isEmpty()) closeWindow();
    else if (window != null) failed(window.proposal(), "Hawser has ended. Copy what you want to keep.");
    changed();
  }

  /** What the user has typed is in a tab when the project is opened again. */
  void end() {
    for (Proposal proposal : open.values()) if (proposal.editedText != null) hawser.ide.keep(proposal.title(), proposal.editedText);
    open.clear();
    closeWindow();
  }

  void windowClosed(ProposalWindow closed) {
    if (window == closed) window = null;
    changed();
  }

  ProposalWindow window() {
    return window;
  }

  private void failed(Proposal proposal, String reason) {
    Proposal current = open.getOrDefault(proposal.id, proposal);
    current.progress = reason == null ? "It could not be written." : reason;
    changed();
    if (isShown(current.id)) window.show(current);
    else hawser.ide.say(current.title() + "\n" + current.progress, NotificationType.WARNING);
  }

  private void sayHowItEnded(Proposal proposal, Map<String, Object> outcome) {
    String kept = Json.string(outcome, "kept");
    String how = "withdrawn".equals(outcome.get("kind"))
        ? "withdrawn: " + outcome.get("reason")
        : outcome.get("kind") + " in " + outcome.get("by");
    if (proposal.editedText != null && "withdrawn".equals(outcome.get("kind"))) {
      hawser.ide.keep(proposal.title(), proposal.editedText);
      how += ". Your text is in a new tab.";
    }
    hawser.ide.say(proposal.title() + "\n" + how + (kept == null ? "" : "\nYour text is kept in " + kept), NotificationType.INFORMATION);
  }

  /** Hunks that the user rejected in the last round and that are the same now are left out from the start. */
  private void keepDecidedHunks(Proposal proposal) {
    Map<String, Object> previous = Json.map(proposal.sent.get("previous"));
    if (!Json.list(previous.get("marks")).contains("rejected") || !proposal.isEditable()) return;
    Map<String, Object> params = Json.object("id", proposal.id, "text", proposal.newText(),
        "before", Json.string(previous, "newText"), "choices", previous.get("marks"));
    hawser.ask("proposal/hunks", params).whenComplete((result, problem) -> Ide.later(() -> {
      if (problem != null || open.get(proposal.id) != proposal || proposal.editedText != null) return;
      String text = Hunks.without(proposal, Json.list(result.get("hunks")), Json.list(result.get("choices")));
      if (text.equals(proposal.newText())) return;
      proposal.editedText = text;
      if (isShown(proposal.id)) window.show(proposal);
    }));
  }

  private void openWindow(Proposal proposal) {
    window = new ProposalWindow(hawser, proposal);
    window.open();
    changed();
  }

  private void closeWindow() {
    ProposalWindow closing = window;
    window = null;
    if (closing != null) closing.end();
  }

  private static boolean mayInterrupt() {
    return Ide.idleMs() >= IDLE_MS;
  }
}
