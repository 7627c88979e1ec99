import { beyondLimits, InexactNumber, type JsonLimits, parseTyped } from '../../../lib/json.ts'
import { free, oneByOne, serve } from '../../../lib/thread.ts'

/* Checks large JSON bodies in a worker thread: very long numbers would block the event loop. */

export interface Inspected {
  beyond: string | null
  broken: string | null
  inexact: { at: (string | number)[]; typed: string }[]
}

const MAX_INEXACT = 1_000

serve(({ limits }: { limits: JsonLimits }) => ({
  run: oneByOne(({ args }) => {
    const body = args[0] as Uint8Array<ArrayBuffer>
    try {
      return inspect(Buffer.from(body.buffer, body.byteOffset, body.byteLength), limits)
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
