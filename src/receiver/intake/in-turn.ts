/** Runs what has the same key one after the other, in the order it was asked; other keys do not wait. */
export function createTurns(): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, run) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.catch(() => undefined).then(run)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
