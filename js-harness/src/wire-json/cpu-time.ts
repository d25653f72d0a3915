/**
 * The seconds of processor time that this process spends on some work: a bound on it holds on a machine
 * that is busy with something else, too.
 */
export async function cpuSecondsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
