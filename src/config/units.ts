import { z } from 'zod'

const UNITS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

const WRITTEN = /^(\d{1,9})(ms|s|m|h|d)$/

/** `20s` in milliseconds; null: no duration. A bare number has no unit and is refused. */
export function parseDuration(text: string): number | null {
  const [, amount, unit] = WRITTEN.exec(text) ?? []
  const scale = UNITS.get(unit ?? '')
  return amount === undefined || scale === undefined ? null : Number(amount) * scale
}

/** A duration between two bounds, in milliseconds. */
export function duration(from: string, to: string) {
  const [least, most] = [parseDuration(from), parseDuration(to)]
  if (least === null || most === null) throw new Error(`No durations: ${from}, ${to}.`)
  const error = `a duration from ${from} to ${to}, such as 800ms, 20s, 5m, 24h or 90d`
  return z
    .string({ error })
    .regex(WRITTEN, { error, abort: true })
    .transform((text) => parseDuration(text) ?? Number.NaN)
    .refine((value) => value >= least && value <= most, { error })
}

const BYTES = new Map([
  ['b', 1],
  ['kb', 1024],
  ['mb', 1024 ** 2],
  ['gb', 1024 ** 3],
])

const SIZE_TEXT = /^(\d{1,9})(b|kb|mb|gb)$/i

/** `64mb` in bytes (1 kb = 1024); null: no size. */
export function parseSize(text: string): number | null {
  const [, amount, unit] = SIZE_TEXT.exec(text) ?? []
  const scale = BYTES.get(unit?.toLowerCase() ?? '')
  return amount === undefined || scale === undefined ? null : Number(amount) * scale
}

/** A size between two bounds, in bytes. */
export function size(from: string, to: string) {
  const [least, most] = [parseSize(from), parseSize(to)]
  if (least === null || most === null) throw new Error(`No sizes: ${from}, ${to}.`)
  const error = `a size from ${from} to ${to}, such as 512kb or 64mb`
  return z
    .string({ error })
    .regex(SIZE_TEXT, { error, abort: true })
    .transform((text) => parseSize(text) ?? Number.NaN)
    .refine((value) => value >= least && value <= most, { error, abort: true })
}
