import { expect, test } from 'vitest'
import { TEXTS } from '../../src/console/texts/texts.ts'

const { en, ...others } = TEXTS

test.each(Object.entries(others))(
  'When a text is there in English, then it is there in %s, with the same values',
  (_, texts) => {
    const values = (text: string) => [...new Set(text.match(/\{\w+\}/g))].toSorted()
    expect(Object.keys(texts)).toEqual(Object.keys(en))
    for (const [key, text] of Object.entries(texts)) {
      const english = en[key as keyof typeof en]
      expect(text.trim(), key).not.toBe('')
      expect(values(text), key).toEqual(values(english))
      expect(text.split('|').length, key).toBe(english.split('|').length)
    }
  },
)
