import { en } from './en.ts'
import type { Wording } from './form.ts'
import { nb } from './nb.ts'

/** The languages that `language` in config may name. */
export const LANGUAGES = ['en', 'nb'] as const
export type Language = (typeof LANGUAGES)[number]

/**
 * A name as a message may greet by it; empty where it is none. Whoever orders online writes it, and may give the address of
 * somebody else: a link in it would be tapped on, for the shop sent it.
 */
export function greetedName(name: string | null): string {
  const line = (name ?? '').replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
  return line.length > LONGEST_NAME || /[/:@\\<>]|\p{L}\.\p{L}{2}|www\./iu.test(line) ? '' : line
}

const LONGEST_NAME = 100

export const WORDINGS: Readonly<Record<Language, Wording>> = { en, nb }
