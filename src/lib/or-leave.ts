/** Awaits shared work for one caller: rejects with `why` when its signal aborts; the work goes on for others. */
export async function orLeave<T>(
  awaited: Promise<T>,
  signal: AbortSignal,
  why: () => unknown = () => signal.reason,
): Promise<T> {
  const left = Promise.withResolvers<never>()
  const leave = () => left.reject(why())
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave)
  try {
    return await Promise.race([left.promise, awaited])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
