import { z } from 'zod'
import { UserError } from '../domain/errors.ts'

/** A number in a query string or in JSON. */
const whole = z.coerce.number().int().min(0)

/** An instant: ISO 8601, or how long ago (`2h`, `3d`). */
const when = z.string().transform((text, context) => {
  const ago = /^(\d+)(s|m|h|d)$/.exec(text)
  if (ago) return Date.now() - Number(ago[1]) * UNITS[ago[2] as keyof typeof UNITS]
  const instant = Date.parse(text)
  if (Number.isNaN(instant))
    context.addIssue({ code: 'custom', message: 'expected an ISO 8601 instant, or how long ago, such as 2h or 3d' })
  return instant
})

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const EventFilter = z.strictObject({
  id: whole.optional(),
  kind: z.string().optional(),
  state: z.enum(['routed', 'unrouted', 'quarantined']).optional(),
  conflict: z.stringbool().or(z.boolean()).optional(),
  reusedKey: z.stringbool().or(z.boolean()).optional(),
  entity: z.string().optional(),
  since: when.optional(),
  until: when.optional(),
  before: whole.optional(),
  limit: whole.max(500).optional(),
})

export const DeliveryFilter = z.strictObject({
  id: whole.optional(),
  event: whole.optional(),
  destination: z.string().optional(),
  flow: z.string().optional(),
  kind: z.string().optional(),
  state: z.enum(['waiting', 'claimed', 'held', 'delivered', 'dead', 'skipped', 'superseded']).optional(),
  entity: z.string().optional(),
  since: when.optional(),
  until: when.optional(),
  before: whole.optional(),
  limit: whole.max(500).optional(),
})

/** What a verb applies to: a page of a list is no selection. */
export const EventSelection = EventFilter.omit({ before: true, limit: true })
export const DeliverySelection = DeliveryFilter.omit({ before: true, limit: true })

/** Reads what a person asked for. Throws a UserError that names every key that is wrong. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): Defined<z.output<Schema>> {
  const result = schema.safeParse(value)
  if (result.success) return result.data as Defined<z.output<Schema>>
  throw new UserError(
    result.error.issues.map(({ path, message }) => `${path.join('.') || 'request'}: ${message}`).join('; '),
  )
}

/** zod adds `| undefined` to what is optional; a key that was not given is not there. */
type Defined<T> = { [K in keyof T]: T[K] extends object ? Defined<T[K]> : Exclude<T[K], undefined> }
