import { StorageUnavailableError } from '../../domain/values/errors.ts'
import { END, startThread } from '../../lib/thread.ts'
import { pack, type Verdict } from '../arrival.ts'
import type { Accepting } from './accepting.ts'
import type { Address } from './server/address.ts'

export const THREAD_CONNECTIONS = 2

export interface ThreadData {
  address: Address
  connections: number
  sameBytesWindow: number
}

const HEAP = { youngMb: 16 }

/** Accepts on a thread with connections of its own: talking to the server takes as long as talking to senders. */
export function createThreadAccepting(address: Address, sameBytesWindow: number): Accepting & AsyncDisposable {
  const data: ThreadData = { address, connections: THREAD_CONNECTIONS, sameBytesWindow }
  const thread = startThread(new URL('./accepting-thread.ts', import.meta.url), data, HEAP)

  async function ask(method: string, args: unknown[], transfer: ArrayBuffer[] = []): Promise<unknown> {
    const [result] = await thread.run([{ method, args }], transfer).catch((cause: unknown) => {
      throw new StorageUnavailableError('The store has stopped. Restart the hub.', { cause })
    })
    if (result && 'value' in result) return result.value
    const { name, message, code } = result?.error ?? { name: 'Error', message: 'no result', code: null }
    if (name === 'StorageUnavailableError') throw new StorageUnavailableError(message)
    throw Object.assign(new Error(message), { name, code })
  }

  return {
    async accept(arrivals) {
      const { packed, bodies } = pack(arrivals)
      return (await ask('accept', [packed, bodies], [bodies.buffer])) as Verdict[]
    },
    async tryOne(size) {
      await ask('tryOne', [size])
    },
    async [Symbol.asyncDispose]() {
      await ask(END, []).catch(() => undefined)
      await thread[Symbol.asyncDispose]()
    },
  }
}
