import { FilesError } from './files-error.ts'

/** Ends with `aborted` as soon as the signal is, whatever the work is at. */
export async function untilAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  refuseAborted(signal)
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(outOfTime())
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work(), promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

export function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted) throw outOfTime()
}

function outOfTime(): FilesError {
  return new FilesError(
    'aborted',
    'was not done with it when the attempt was ended: its time was over, or the hub is stopping.',
  )
}
