import { asError, StorageUnavailableError } from '../domain/values/errors.ts'

interface Options {
  open(): Promise<void>
  every: number
  onOpening?: ((problem: string | null) => void) | undefined
  opened(): void
  isHopeless?(error: StorageUnavailableError): boolean
}

/** Opens a storage that may not be there yet and retries; until then its methods reject with the reason. */
export function createOpening({ open, every, onOpening, opened, isHopeless = () => false }: Options) {
  let closed = false
  let problem: Error | null = new StorageUnavailableError('The store is not open yet.')

  async function tryAgain() {
    if (closed) return
    try {
      await open()
      problem = null
      onOpening?.(null)
      opened()
    } catch (error) {
      problem = asError(error)
      later()
    }
  }

  function later() {
    setTimeout(() => void tryAgain(), every).unref()
  }

  return {
    async start(): Promise<void> {
      try {
        await open()
        problem = null
      } catch (error) {
        if (!(error instanceof StorageUnavailableError) || isHopeless(error)) throw error
        problem = error
        onOpening?.(error.message)
        later()
      }
    },

    close() {
      closed = true
    },

    /** The methods, each of which rejects until the storage is open. */
    whileOpen<M extends object>(methods: M): M {
      const guarded = Object.entries(methods).map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          if (closed) throw new StorageUnavailableError('The store is closed.')
          if (problem) throw problem
          return await method(...args)
        },
      ])
      return Object.fromEntries(guarded) as M
    },

    ifOpen:
      <Args extends unknown[]>(method: (...args: Args) => Promise<void>) =>
      async (...args: Args): Promise<void> => {
        if (closed || problem !== null) return
        try {
          await method(...args)
        } catch (error) {
          if (!(error instanceof StorageUnavailableError)) throw error
        }
      },
  }
}
