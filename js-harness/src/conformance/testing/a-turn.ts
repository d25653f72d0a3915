/** Lets everything else that is waiting go on first. */
export function aTurn(): Promise<void> {
  return new Promise((done) => setTimeout(done, 1));
}
