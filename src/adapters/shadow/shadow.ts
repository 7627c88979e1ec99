import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Attempt, Batch, BatchResult, Effect } from '../../ports/attempt.ts'
import type { Ports } from '../../ports/ports.ts'
import { TAKES } from '../../ports/takes.ts'
import { defineAdapter } from '../adapter.ts'
import { openBook } from './book.ts'

/** How many times as long a call takes where somebody outside has said that it is slow. */
const SLOW = 10

/** The options of a shadow, which no operator writes: the hub makes it of a destination of the config. */
export const ShadowOptions = z.strictObject({
  abilities: z.array(z.string()).describe('What the destination can do that it stands for: `orders.create` …'),
  gathers: z.boolean().describe('Whether that one takes many records at once gladly.'),
  latency: z.number().min(0).describe('How long a call takes (milliseconds).'),
  book: z.string().describe('The file that it writes down each effect in.'),
})

/**
 * A destination that performs nothing: it has the abilities of the one that it stands for, takes as long as that one does, writes
 * each effect down with its key, and is slow or away when it is told to be. It opens no connection.
 */
export default defineAdapter({
  name: 'shadow',
  options: ShadowOptions,
  create({ abilities, gathers, latency, book: file }) {
    const book = openBook(file)

    async function perform(attempts: readonly Attempt[]): Promise<void> {
      const [first] = attempts
      if (!first) return
      if (book.is('down'))
        throw new RetryLaterError('The shadow is away.', { scope: 'destination', code: 'shadow-down' })
      const ms = book.is('slow') ? latency * SLOW : latency
      const [call, at] = [book.nextCall(), Date.now()]
      // A request is on its way for half of the time, its answer for the other half.
      await half(ms, first.signal, () => new RetryLaterError('The time was over before it was taken.', { code: 'cut' }))
      book.write(attempts.map(({ key }) => ({ key, call, together: attempts.length, at, ms })))
      await half(ms, first.signal, () => new UnknownOutcomeError('The time was over before the answer came.'))
    }

    const takesOne = async (_: unknown, attempt: Attempt): Promise<Effect> => {
      await perform([attempt])
      return { note: NOTE }
    }
    const takesSeveral = async (batch: Batch<unknown>): Promise<BatchResult> => {
      await perform(batch.map(({ attempt }) => attempt))
      return batch.map(() => ({ note: NOTE }))
    }
    const find = async ({ key }: Attempt): Promise<Effect | null> => (book.has(key) ? { note: NOTE } : null)

    return {
      ports: portsOf(abilities, { takesOne, takesSeveral, find }),
      ...(gathers && { gathers }),
      async [Symbol.asyncDispose]() {},
    }
  },
})

const NOTE = 'nothing was sent: a shadow'

async function half(ms: number, signal: AbortSignal, late: () => Error): Promise<void> {
  await wait(ms / 2, undefined, { signal }).catch(() => {
    throw late()
  })
}

interface Methods {
  takesOne: (argument: unknown, attempt: Attempt) => Promise<Effect>
  takesSeveral: (batch: Batch<unknown>) => Promise<BatchResult>
  find: (attempt: Attempt) => Promise<Effect | null>
}

/** The methods that have an effect, and `find`; none that answers questions. */
function portsOf(abilities: readonly string[], { takesOne, takesSeveral, find }: Methods): Ports {
  const ports: Record<string, Record<string, unknown>> = {}
  for (const ability of abilities) {
    const [port = '', name = ''] = ability.split('.')
    const takes: Readonly<Record<string, 'one' | 'several'>> = TAKES[port as keyof typeof TAKES] ?? {}
    const method = name === 'find' ? find : takes[name] && (takes[name] === 'several' ? takesSeveral : takesOne)
    if (method) ports[port] = { ...ports[port], [name]: method }
  }
  // The methods of a port were read of the ports of the adapter that this stands for, and TAKES says what each takes.
  return ports as Ports
}
