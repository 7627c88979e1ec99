import { StoreUnavailableError } from '../domain/values/errors.ts'

interface Options {
  /** Opens it. A StoreUnavailableError says that waiting may help; any other that it will not. */
  open(): Promise<void>
  /** How often it is tried again (milliseconds). */
  every: number
  /** Told once when it cannot be opened, and once when it can. */
  onOpening?: ((problem: string | null) => void) | undefined
  /** Called when it has been opened later than at start. */
  opened(): void
  /** An error of those that no waiting will mend, all the same. */
  isHopeless?(error: StoreUnavailableError): boolean
}

/**
 * A store that may not be there yet: it is tried now, and again until it is there. Until then `whenOpen` throws what it
 * failed with.
 */
export function createOpening({ open, every, onOpening, opened, isHopeless = () => false }: Options) {
  let closed = false
  let problem: Error | null = new StoreUnavailableError('The store is not open yet.')

  async function tryAgain() {
    if (closed) return
    try {
      await open()
      problem = null
      onOpening?.(null)
      opened()
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error))
      later()
    }
  }

  function later() {
    setTimeout(() => void tryAgain(), every).unref()
  }

  function whenOpen(): void {
    if (closed) throw new StoreUnavailableError('The store is closed.')
    if (problem) throw problem
  }

  return {
    /** Throws what no waiting will mend. */
    async start(): Promise<void> {
      try {
        await open()
        problem = null
      } catch (error) {
        if (!(error instanceof StoreUnavailableError) || isHopeless(error)) throw error
        problem = error
        onOpening?.(error.message)
        later()
      }
    },

    whenOpen,
    isOpen: (): boolean => !closed && problem === null,
    close() {
      closed = true
    },

    whileOpen,

    /** The same methods, that reject until the store is open. */
    allWhileOpen<M extends object>(methods: M): M {
      return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, whileOpen(method)])) as M
    },
  }

  /** A method that rejects until the store is open. */
  function whileOpen<Args extends unknown[], T>(method: (...args: Args) => Promise<T>) {
    return async (...args: Args): Promise<T> => {
      whenOpen()
      return await method(...args)
    }
  }
}
