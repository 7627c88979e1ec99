/**
 * What is awaited for several callers, as one of them waits for it: it rejects with `why` once that one's signal is aborted, and what is
 * awaited goes on for the others.
 */
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
