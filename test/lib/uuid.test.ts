import { expect, test } from 'vitest'
import { uuidOfName } from '../../src/lib/uuid.ts'

const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'

/** @see https://www.rfc-editor.org/rfc/rfc9562#name-example-of-a-uuidv5-value */
test('When a UUID is made of a name, then it is the one that the RFC shows', () => {
  expect(uuidOfName(DNS, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
})

test('When the name or the namespace is another, then so is the UUID', () => {
  const other = '6ba7b811-9dad-11d1-80b4-00c04fd430c8'
  expect(new Set([uuidOfName(DNS, 'a'), uuidOfName(DNS, 'b'), uuidOfName(other, 'a')]).size).toBe(3)
})
