/** The notification that `burst` sends, the same as in examples/echo/echo.mjs; about 300 bytes as JSON. */
export function selectionChanged(line) {
  return {
    method: 'selection_changed',
    params: {
      text: 'const answer = await session.callTool("echo", { text: "the selected text" });'.padEnd(90),
      filePath: '/home/someone/project/src/main.ts',
      fileUrl: 'file:///home/someone/project/src/main.ts',
      selection: { start: { line, character: 4 }, end: { line, character: 81 }, isEmpty: false },
    },
  };
}
