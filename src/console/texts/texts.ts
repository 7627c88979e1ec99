import da from './da.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import nb from './nb.json' with { type: 'json' }
import sv from './sv.json' with { type: 'json' }

export type TextKey = keyof typeof en

type Texts = Readonly<Record<TextKey, string>>

/** Every language has every text: the compiler and a test see to it. Two forms, of one and of others, stand on the sides of a bar. */
export const TEXTS = { en, nb, sv, da } as const satisfies Record<string, Texts>

export type Language = keyof typeof TEXTS

export const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['nb', 'Norsk'],
  ['sv', 'Svenska'],
  ['da', 'Dansk'],
]

export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string

/** `n` also chooses between one and many. */
export function translator(language: Language): Translate {
  return (key, values = {}) => {
    const [one = '', many = one] = TEXTS[language][key].split('|')
    const shown = (value: string | number | undefined) =>
      typeof value === 'number' ? value.toLocaleString(language, { useGrouping: true }) : String(value ?? '')
    return (values.n === 1 ? one : many).replace(/\{(\w+)\}/g, (_, name: string) =>
      name === 'id' ? String(values.id) : shown(values[name]),
    )
  }
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
