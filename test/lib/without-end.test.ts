import { expect, test } from 'vitest'
import { withoutEnd } from '../../src/lib/http/without-end.ts'
import { growth, LINEAR } from '../growth.ts'

test.each([
  ['', ''],
  ['---', ''],
  ['-a-b--', '-a-b'],
  ['a\u{1F600}-', 'a\u{1F600}'],
])('when %j ends with what is left out, then %j is left', (text, left) => {
  expect(withoutEnd(text, /-/)).toBe(left)
})

test('when a text holds nothing but what is left out, up to its end, then that takes linear time', () => {
  const hyphens = (size: number) => `${'-'.repeat(size)}a${'-'.repeat(size)}`

  expect(growth(100_000, hyphens, (text) => withoutEnd(text, /-/))).toBeLessThan(LINEAR)
})
