/** `performance.now()` starts anew in each process; the monotonic clock of the machine does not. */
const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** Milliseconds on a clock that all processes of this machine share: times of sender and receiver can be subtracted. */
export function now(): number {
  return performance.now() + offset
}
