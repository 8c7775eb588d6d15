package dev.hawser.jetbrains;

/** What the user, or an agent, can be told as it is. */
final class Problem extends Exception {
  Problem(String message) {
    super(message);
  }
}
