import { HEALTH_TEXTS } from '../../domain/health/texts.ts'
import { STORY_TEXTS } from '../../domain/orders/story.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { rendered, type Values } from '../../domain/values/message.ts'
import da from './da.json' with { type: 'json' }
import own from './en.json' with { type: 'json' }
import nb from './nb.json' with { type: 'json' }
import sv from './sv.json' with { type: 'json' }

/** Sentences of health and of orders stand in the domain, which tells them to the command line too. */
const en = { ...own, ...HEALTH_TEXTS, ...STORY_TEXTS }

export type TextKey = keyof typeof en

type Texts = Readonly<Record<TextKey, string>>

/** Every language has every text: the compiler and a test see to it. */
export const TEXTS = { en, nb, sv, da } as const satisfies Record<string, Texts>

export type Language = keyof typeof TEXTS

export const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['nb', 'Norsk'],
  ['sv', 'Svenska'],
  ['da', 'Dansk'],
]

export type Translate = (key: TextKey, values?: Values<TextKey>) => string

/** `zone`: of the times that texts tell. */
export function translator(language: Language, zone = 'UTC'): Translate {
  const locale = localeOf(language)
  const reader = {
    text: (key: TextKey) => TEXTS[language][key],
    number: (value: number) => value.toLocaleString(locale),
    amount: (value: number, decimals: number) =>
      value.toLocaleString(locale, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
    time: (at: Instant) =>
      new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: zone }).format(at),
  }
  return (id, values = {}) => rendered({ id, values }, reader)
}

/** Days before months: of English, those of Britain. */
export function localeOf(language: Language): string {
  return language === 'en' ? 'en-GB' : language
}

/** Names of jobs are the config's, and hubs of other versions may have others. */
export function isText(key: string): key is TextKey {
  return Object.hasOwn(en, key)
}

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(TEXTS, text)
}

/** What was chosen, else the first that the browser asks for and there is. */
export function chooseLanguage(chosen: string | null, accepted: string | undefined): Language {
  if (chosen !== null && isLanguage(chosen)) return chosen
  const wanted = (accepted ?? '').split(',').map((part) => part.trim().slice(0, 2).toLowerCase())
  // Norwegian has three codes.
  const known = wanted.map((code) => (code === 'no' || code === 'nn' ? 'nb' : code)).find(isLanguage)
  return known ?? 'en'
}
