import { isUtf8 } from 'node:buffer'
import type { Outcome } from '../domain/queue/outcome.ts'
import type { Effect } from '../ports/attempt.ts'
import type { Call } from '../ports/ports.ts'

/** Longest text of a dry run's record. */
const RECORD = 2_000

/** An adapter's word is checked before it counts: what is no text could not be kept. */
export function delivered(effect: Effect, destination: string): Outcome & { type: 'delivered' } {
  const note = effect.note ?? null
  const links = (effect.links ?? []).map(({ kind, id, theirId }) => ({
    destination,
    kind: text(kind),
    id: text(id),
    theirId: text(theirId),
  }))
  return { type: 'delivered', links, note: note === null ? null : text(note) }
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError(`the adapter gave ${typeof value} where a note or a link must be text`)
}

/** Bytes that are no text, such as a picture, are told by their size. */
function readable(bytes: Uint8Array): string {
  return isUtf8(bytes) ? Buffer.from(bytes).toString('utf8') : `${bytes.byteLength} bytes`
}

/** A call for people: what would be sent. A Buffer turns itself into a list of numbers before a replacer sees it. */
export function describe({ port, method, argument }: Call): string {
  // Whoever is forgotten stands in no record.
  if (method === 'erase') return `${port}.${method}`
  const text = JSON.stringify(argument, function (this: Record<string, unknown>, name: string, value: unknown) {
    const given = this[name]
    return given instanceof Uint8Array ? readable(given) : value
  })
  return `${port}.${method} ${text}`.slice(0, RECORD)
}
