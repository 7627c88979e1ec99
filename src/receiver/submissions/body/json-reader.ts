import { beyondLimits, type JsonLimits } from '../../../lib/json.ts'
import type { SlicedWork } from '../../../lib/semaphore.ts'
import { createRestingThread } from '../../../lib/thread.ts'
import type { Inspected } from './json-thread.ts'
import { InexactNumber, parseTyped } from './typed-json.ts'

/** Reads JSON bodies of any size that /v1 takes. */
export interface JsonReader extends AsyncDisposable {
  /**
   * The value, with numbers that JavaScript cannot hold as InexactNumber. Throws a SyntaxError that quotes nothing of the body,
   * and a BeyondLimitsError.
   */
  read(bytes: Buffer, work: SlicedWork): Promise<unknown>
}

/** A body that would cost too much to read. */
export class BeyondLimitsError extends Error {
  override name = 'BeyondLimitsError'
}

/** A larger body is looked through in another thread first: parsing it with exact numbers may take the event loop for long. */
const INLINE_BYTES = 64 * 1024

/** Memory of the thread: a body within the limits needs less. */
const HEAP = { youngMb: 8, oldMb: 160 }

/** `limits`: of payloads, in server.limits; a list of /v1 may be as long as the values of a payload may be many. */
export function createJsonReader({ depth, keys, values }: JsonLimits): JsonReader {
  const limits: JsonLimits = { depth, keys, values, items: values }
  const thread = createRestingThread({
    url: new URL('./json-thread.ts', import.meta.url),
    data: { limits },
    heap: HEAP,
  })

  async function inspect(bytes: Buffer): Promise<Inspected> {
    try {
      return (await thread.run(() => [{ method: 'inspect', args: [bytes] }])) as Inspected
    } catch (error) {
      throw new BeyondLimitsError('it takes too long, or too much memory', { cause: error })
    }
  }

  return {
    async read(bytes, work) {
      if (bytes.byteLength <= INLINE_BYTES) {
        const beyond = beyondLimits(bytes, limits)
        if (beyond !== null) throw new BeyondLimitsError(beyond)
        return parseTyped(bytes)
      }
      const { beyond, broken, inexact } = await inspect(bytes)
      if (beyond !== null) throw new BeyondLimitsError(beyond)
      if (broken !== null) throw new SyntaxError(broken)
      await work.next()
      const root = { value: JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, '')) as unknown }
      for (const { at, typed } of inexact) place(root, ['value', ...at], new InexactNumber(typed))
      return root.value
    },
    [Symbol.asyncDispose]: thread[Symbol.asyncDispose],
  }
}

function place(root: object, at: readonly (string | number)[], value: InexactNumber): void {
  let parent = root as Record<string | number, unknown>
  for (const name of at.slice(0, -1)) parent = parent[name] as Record<string | number, unknown>
  // `__proto__` as a name is a field like others here.
  Object.defineProperty(parent, at.at(-1) ?? '', { value, writable: true, enumerable: true, configurable: true })
}
