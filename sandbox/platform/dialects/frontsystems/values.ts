import { z } from 'zod'

/** Fields that the documentation calls nullable may be null; all else is of its type, or left out. Fields that it does not list are refused. */
export const Text = z.string().exactOptional()
export const TextOrNull = z.string().nullable().exactOptional()
export const Whole = z.int().exactOptional()
export const WholeOrNull = z.int().nullable().exactOptional()
export const Amount = z.number().exactOptional()
export const Flag = z.boolean().exactOptional()
export const FlagOrNull = z.boolean().nullable().exactOptional()
/** A datetime; without a zone, too. */
export const Time = z.iso.datetime({ offset: true, local: true })
/** A datetime, or a day alone. */
export const TimeOrDay = z.union([Time, z.iso.date()])
export const TimeOrNull = TimeOrDay.nullable().exactOptional()
