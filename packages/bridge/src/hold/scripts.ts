/** How a process gets mounts of its own: as root without more, otherwise as the root of a user namespace. */
export type Way = 'root' | 'user namespace';

export interface LayerScripts {
  readonly files: Readonly<Record<string, string>>;
  /** What the agent's shell runs. */
  readonly text: string;
}

/**
 * The shell scripts that mount the layer over the project and run the command there. The agent's shell reads `run` itself, so
 * that it goes to the folder in which the command ended, as it would without the layer.
 */
export function layerScripts(
  folder: string,
  way: Way,
  {
    project,
    command,
    mounts,
  }: { readonly project: string; readonly command: string; readonly mounts: readonly string[] },
): LayerScripts {
  const at = (name: string) => quoted(`${folder}/${name}`);
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const back = way === 'root' ? '' : `unshare --user --map-user=${uid} --map-group=${gid} `;
  const run = [
    `unshare ${unshareOptions(way)} sh ${at('enter')} "\${BASH:-\${ZSH_NAME:+zsh}}"`,
    '__hawser_status=$?',
    `if [ -s ${at('cwd')} ]; then cd "$(cat ${at('cwd')})" 2>/dev/null; fi`,
    '(exit "$__hawser_status")',
  ];
  const enter = [
    `echo $$ > ${at('pid')}`,
    `${mountLine(folder, project, mounts)} || {`,
    '  echo "hawser: what this command changes can not be held, so it was not run" >&2',
    '  exit 126',
    '}',
    // Nothing runs unless its processes can be found again.
    `readlink /proc/self/ns/mnt > ${at('ns')} && cd "$PWD" || exit 126`,
    `exec ${back}"\${1:-sh}" -c "trap 'pwd -P > ${folder}/cwd' EXIT; $(cat ${at('command')})"`,
  ];
  const lines = (script: readonly string[]) => `${script.join('\n')}\n`;
  return {
    files: { run: lines(run), enter: lines(enter), command },
    // The command itself is there to be seen where the agent shows what it runs.
    text: `. ${at('run')} ${quoted(command)}`,
  };
}

export function unshareOptions(way: Way): string {
  return way === 'root' ? '--mount' : '--user --map-root-user --mount';
}

/** Mounts the layer. What is under `mounts`, as git's own files, is not part of it. */
export function mountLine(folder: string, project: string, mounts: readonly string[]): string {
  const at = (name: string) => quoted(`${folder}/${name}`);
  const layers = `lowerdir=${folder}/lower,upperdir=${folder}/up,workdir=${folder}/work,userxattr`;
  return [
    // Under a name of our own: that of the project may contain what separates the options.
    `mount --rbind ${quoted(project)} ${at('lower')}`,
    `mount -t overlay -o ${quoted(layers)} overlay ${quoted(project)}`,
    ...mounts.map((name) => `mount --rbind ${at(`lower/${name}`)} ${quoted(`${project}/${name}`)}`),
    `umount -l ${at('lower')}`,
  ].join(' && ');
}

/** As one word for a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
