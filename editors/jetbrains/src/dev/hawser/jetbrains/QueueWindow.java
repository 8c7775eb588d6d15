package dev.hawser.jetbrains;

import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.wm.ToolWindow;
import com.intellij.openapi.wm.ToolWindowFactory;
import com.intellij.ui.components.JBList;
import com.intellij.ui.components.JBScrollPane;
import java.awt.BorderLayout;
import java.awt.FlowLayout;
import java.awt.event.ActionEvent;
import java.awt.event.KeyEvent;
import java.awt.event.MouseAdapter;
import java.awt.event.MouseEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.swing.AbstractAction;
import javax.swing.BorderFactory;
import javax.swing.DefaultListModel;
import javax.swing.JButton;
import javax.swing.JComponent;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.KeyStroke;

/** The tool window: agents, the changes that wait, and the buttons for all of them. */
public final class QueueWindow implements ToolWindowFactory, DumbAware {
  static final String ID = "Hawser";

  @Override
  public void createToolWindowContent(Project project, ToolWindow window) {
    Hawser hawser = Hawser.of(project);
    JComponent content = hawser == null ? new JLabel("Choose Tools | Hawser | Start.") : new Panel(hawser);
    window.getContentManager().addContent(window.getContentManager().getFactory().createContent(content, "", false));
  }

  static final class Panel extends JPanel {
    private final Hawser hawser;
    private final DefaultListModel<Proposal> model = new DefaultListModel<>();
    private final JBList<Proposal> list = new JBList<>(model);
    private final JLabel agents = new JLabel();
    private final JButton pause = new JButton();

    Panel(Hawser hawser) {
      super(new BorderLayout());
      this.hawser = hawser;
      if (list.getCellRenderer() instanceof JComponent) ((JComponent) list.getCellRenderer()).putClientProperty("html.disable", true);
      list.getEmptyText().setText("No change waits for you.");
      list.addMouseListener(new MouseAdapter() {
        @Override
        public void mouseClicked(MouseEvent event) {
          if (event.getClickCount() == 2) review();
        }
      });
      list.getInputMap().put(KeyStroke.getKeyStroke(KeyEvent.VK_ENTER, 0), "review");
      list.getActionMap().put("review", new AbstractAction() {
        @Override
        public void actionPerformed(ActionEvent event) {
          review();
        }
      });
      JPanel buttons = new JPanel(new FlowLayout(FlowLayout.LEADING, 4, 4));
      buttons.add(button(new JButton("Review"), this::review));
      buttons.add(button(new JButton("Accept All"), () -> decideAll("accepted")));
      buttons.add(button(new JButton("Reject All"), () -> decideAll("rejected")));
      buttons.add(button(pause, () -> hawser.pause(!hawser.isPaused())));
      agents.setBorder(BorderFactory.createEmptyBorder(4, 8, 4, 8));
      add(agents, BorderLayout.NORTH);
      add(new JBScrollPane(list), BorderLayout.CENTER);
      add(buttons, BorderLayout.SOUTH);
      hawser.proposals.onChange(this::refresh);
      refresh();
    }

    private void refresh() {
      Proposal selected = list.getSelectedValue();
      model.clear();
      for (Proposal proposal : hawser.proposals.list()) {
        model.addElement(proposal);
        if (selected != null && selected.id.equals(proposal.id)) list.setSelectedIndex(model.size() - 1);
      }
      agents.setText(agentsOf(hawser));
      pause.setText(hawser.isPaused() ? "Resume" : "Pause");
      pause.setEnabled(hawser.isRunning());
    }

    private void review() {
      if (list.getSelectedValue() != null) hawser.proposals.review(list.getSelectedValue());
      else hawser.proposals.reviewNext();
    }

    private void decideAll(String kind) {
      for (Proposal proposal : hawser.proposals.list()) hawser.proposals.decide(proposal, kind);
    }

    private static JButton button(JButton button, Runnable run) {
      button.addActionListener(event -> run.run());
      return button;
    }
  }

  /** A line on who is connected. */
  static String agentsOf(Hawser hawser) {
    if (!hawser.isRunning()) return "Hawser does not run here. Choose Tools | Hawser | Start.";
    List<String> names = new ArrayList<>();
    for (Object each : Json.list(hawser.status.get("agents"))) {
      Map<String, Object> agent = Json.map(each);
      if ("ready".equals(agent.get("state"))) names.add(Json.string(agent, "name"));
    }
    String paused = hawser.isPaused() ? "Paused: agents see nothing. " : "";
    return paused + (names.isEmpty() ? "No agent is connected." : "Connected: " + String.join(", ", names));
  }
}
