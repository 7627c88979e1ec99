import { z } from 'zod'
import { isId } from '../../domain/values/id.ts'

/*
 * The fields that resources have in common. An `error` completes the sentence "found …, expected …"; what comes out is
 * as domain/catalogue/submitted.ts has it: trimmed text, decimal text, ids as text, times in UTC.
 */

/** How long a key or a name may be (signs). */
const LONGEST = 200

/** A key or a name: not empty. */
export const Name = z.string().trim().min(1).max(LONGEST)

/** What something is told by: a name that is not empty, nor nothing but zeros (domain/values/id.ts). */
export const Key = Name.refine((key) => key.trim() === '' || isId(key), {
  error: 'a key that tells one from another: zeros are none',
})

/** The same where it may be left out: zeros are as good as nothing. */
export const OptionalKey = Name.nullish().transform(unlessZero)

/** Text for people. */
export const Text = z.string().max(10_000)

/** Text of a person or an address. Null and nothing are the same; what was written is never shown (see fault.ts). */
export const Line = z.string().trim().max(500).nullish()

const AnyId = z
  .union([z.int(), z.string().trim().min(1).max(100)], { error: 'an id: a whole number, or text' })
  .transform(String)

/** An id of the platform that has to be there: 0 is none. */
export const Id = AnyId.refine(isId, { error: 'an id: a whole number other than 0, or text' })

/** An id of the platform that may be left out: programs write 0 or a GUID of zeros where there is none. */
export const OptionalId = AnyId.nullish().transform(unlessZero)

/** What was given; nothing but zeros is as good as nothing. */
export function unlessZero(given: string | null | undefined): string | null | undefined {
  return typeof given === 'string' && !isId(given) ? undefined : given
}

/** A web address; it is handed on, never fetched by the hub. */
export const Url = z.url({ protocol: /^https?$/, error: 'an http or https URL' }).max(2_000)

/** A time with its zone, kept in UTC, so that the same instant is the same however it is written. */
export const Time = z.iso
  .datetime({ offset: true, error: 'a date and time with its zone, such as 2026-01-31T09:30:00Z or …+01:00' })
  .transform((text) => new Date(text).toISOString())

/** The same, kept as it is written: where the wall clock of the sender matters. */
export const TimeAsWritten = z.iso.datetime({
  offset: true,
  error: 'a date and time with its zone, such as 2026-01-31T09:30:00+01:00',
})

export const Currency = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{3}$/, { error: 'a currency of three letters, such as NOK' })

/** A day, as of a calendar. */
export const Day = z.iso.date({ error: 'a day, such as 1985-05-17' })

/** Keeps what was given. Null is as good as nothing: many systems write it for what they do not have. */
export function compact<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept: Partial<T> = {}
  for (const key in values) if (values[key] !== undefined && values[key] !== null) kept[key] = values[key]
  return kept as { [K in keyof T]?: NonNullable<T[K]> }
}
