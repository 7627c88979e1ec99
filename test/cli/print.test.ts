import { expect, test } from 'vitest'
import { table } from '../../src/cli/print.ts'

test('When another system wrote signs that steer a terminal, then a table shows one line a row, and none of them', () => {
  const shown = table(['what'], [['T-shirt\u001B[2J\u009B1A\r\nfake   row', 1]], 'none')

  expect(shown.split('\n')).toHaveLength(2)
  expect(shown.split('\n')[1]).toMatch(/^[^\p{Cc}]*$/u)
})
