/** A function that does its work the first time that it is called; whoever calls it again gets what came of that. */
export function once<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
  const done: Result[] = []
  return (...args) => {
    if (done.length === 0) done.push(work(...args))
    return done[0] as Result
  }
}
