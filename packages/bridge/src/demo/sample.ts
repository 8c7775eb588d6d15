/** The files of the demo's workspace, and the change that its agent proposes. */
export const FILES: { readonly [path: string]: string } = {
  'README.md': `# A scratch workspace

hawser demo made this folder, and removes it at the end.
`,
  '.env': 'SECRET=agents never see this file\n',
  'src/greeting.ts': `export function greet(name: any) {
  return "Hello " + name;
}

/** One greeting a line. */
export function greetAll(names: any) {
  let result = "";
  for (var i = 0; i < names.length; i++) {
    result = result + greet(names[i]) + "\\n";
  }
  return result;
}

/** Everyone is welcome. */
export const everyone = ["Ada", "Grace", "Barbara"];
`,
};

export const PROPOSED_FILE = 'src/greeting.ts';

export const PROPOSED_TEXT = `export function greet(name: string): string {
  return \`Hello, \${name}!\`;
}

/** One greeting a line. */
export function greetAll(names: readonly string[]): string {
  return names.map(greet).join("\\n");
}

/** Everyone is welcome. */
export const everyone = ["Ada", "Barbara", "Grace", "Katherine"];
`;
