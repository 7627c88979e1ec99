import { expect, test, vi } from 'vitest'
import { complain, say, show, table } from '../../src/cli/shared/output.ts'

test('When another system wrote signs that steer a terminal, then a table shows one line a row, and none of them', () => {
  const shown = table(['what'], [['T-shirt\u001B[2J\u009B1A\r\nfake   row', 1]], 'none')
  expect(shown.split('\n')).toHaveLength(2)
  expect(shown.split('\n')[1]).toMatch(/^[^\p{Cc}]*$/u)
})

test('When a text, an error or JSON has such signs, then none is printed; lines, tabs and our own styles are', () => {
  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text))
  const error = vi.spyOn(console, 'error').mockImplementation((text) => void printed.push(text))
  try {
    const hostile = 'a\tb\n\u001b]0;x\u0007\u001b[2Jc\u202ed'
    say(hostile)
    complain(hostile)
    show(false, null, () => `\u001b[1mbold\u001b[22m ${hostile}`)
    show(true, { hostile: `\u009b${hostile}` }, () => '')
  } finally {
    log.mockRestore()
    error.mockRestore()
  }
  const [said, complained, shown, json = ''] = printed
  expect(said).toBe('a\tb\n\ufffd]0;x\ufffd\ufffd[2Jc\ufffdd')
  expect(complained).toBe(said)
  expect(shown).toBe(`\u001b[1mbold\u001b[22m ${said}`)
  expect(json).toMatch(/^[\n\x20-\x7e]*$/)
  expect(JSON.parse(json)).toEqual({ hostile: '\u009ba\tb\n\u001b]0;x\u0007\u001b[2Jc\u202ed' })
})
