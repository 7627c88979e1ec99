import { expect, test } from 'vitest'
import { JOB_NAMES } from '../../src/config/jobs.ts'
import { isText, TEXTS } from '../../src/console/texts/texts.ts'
import { outageOf } from '../../src/domain/queue/outcome.ts'

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

const CODES = [
  ...['http-401', 'http-403', 'smtp-550', 'certificate-refused', 'address-refused', 'files-host-key', 'files-missing'],
  ...['files-full', 'no-database', 'no-api', 'http-302', 'unreadable-answer', 'http-404', 'http-429', 'http-503'],
  ...['no-answer', 'unreachable', 'http-400', 'said-nothing-known'],
]

test('When an outage or a job is named, then the console has words for it', () => {
  const named = Object.keys(en).filter((key) => key.startsWith('outage.'))
  expect(CODES.map((code) => `outage.${outageOf(code)}`).toSorted()).toEqual(named.toSorted())
  expect(JOB_NAMES.filter((name) => !isText(`job.${name}`))).toEqual([])
})

test("When a timeline's words are in English, then the others have words of their own", () => {
  const words = Object.entries(en).filter(([key]) => /^(story|did|outcome)\./.test(key))
  for (const texts of Object.values(others))
    expect(words.filter(([key, text]) => texts[key as keyof typeof en] === text)).toEqual([])
})
