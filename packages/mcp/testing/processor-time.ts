/** Milliseconds of processor time that this process has used. Time on the wall would depend on what else the machine does. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
