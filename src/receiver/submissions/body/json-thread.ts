import { beyondLimits, type JsonLimits } from '../../../lib/json.ts'
import { free } from '../../../lib/thread.ts'
import { failure, serve } from '../../../store/serve.ts'
import { InexactNumber, parseTyped } from './typed-json.ts'

/*
 * Looks through large JSON bodies, in a thread of its own: the number of a million digits, or a million of them, keeps nobody waiting.
 */

/** What a body is found to be. */
export interface Inspected {
  /** The limit that it breaks; null: none. */
  beyond: string | null
  /** Why it is no JSON, in the words of `parseTyped`; null: it is. */
  broken: string | null
  /** Numbers that JavaScript cannot hold, as they were typed, and where they stand. */
  inexact: { at: (string | number)[]; typed: string }[]
}

/** More numbers that cannot be held are no mistake, and naming each would take long. */
const MAX_INEXACT = 1_000

serve(({ limits }: { limits: JsonLimits }) => ({
  run: (operations) =>
    operations.map(({ args }) => {
      const body = args[0] as Uint8Array<ArrayBuffer>
      try {
        return { value: inspect(Buffer.from(body.buffer, body.byteOffset, body.byteLength), limits) }
      } catch (error) {
        return failure(error)
      } finally {
        free(body)
      }
    }),
}))

function inspect(bytes: Buffer, limits: JsonLimits): Inspected {
  const sound: Inspected = { beyond: null, broken: null, inexact: [] }
  const beyond = beyondLimits(bytes, limits)
  if (beyond !== null) return { ...sound, beyond }
  try {
    const inexact = inexactIn(parseTyped(bytes))
    if (inexact.length <= MAX_INEXACT) return { ...sound, inexact }
    return { ...sound, beyond: `it has more than ${MAX_INEXACT} numbers of more digits than a number holds` }
  } catch (error) {
    if (error instanceof SyntaxError) return { ...sound, broken: error.message }
    throw error
  }
}

function inexactIn(value: unknown, at: (string | number)[] = [], found: Inspected['inexact'] = []) {
  if (found.length > MAX_INEXACT) return found
  if (value instanceof InexactNumber) found.push({ at, typed: value.typed })
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) inexactIn(item, [...at, index], found)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) inexactIn(inner, [...at, name], found)
  return found
}
