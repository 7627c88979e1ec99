import { describe, expect, test } from 'vitest'
import { parseYamlFile } from '../../src/config/reading/yaml-file.ts'
import { load, MINIMUM, problemsOf } from './fixture.ts'

const SYNTAX = 'text that is not YAML'

describe('YAML 1.2', () => {
  test('when yes, no and on are written, then they stay text, whatever version the file names', () => {
    const root = { a: 'yes', b: 'no', c: 'on', d: true }
    expect(parseYamlFile('a: yes\nb: no\nc: on\nd: true\n').root).toEqual(root)
    expect(parseYamlFile('%YAML 1.1\n---\na: yes\nb: no\nc: on\nd: true\n').root).toEqual(root)
  })

  test('when the file has a byte order mark and Windows line ends, then lines are counted right', async () => {
    const text = `\ufeff${MINIMUM}store:\n  url: 1\n`.replaceAll('\n', '\r\n')
    expect(await problemsOf(text)).toMatchObject([{ path: 'store.url', line: 4 }])
  })

  test('when a value runs over several lines, then the line of its key is told', async () => {
    expect(await problemsOf(`${MINIMUM}store:\n  url: |\n    first\n    second\n`)).toMatchObject([{ line: 4 }])
  })

  test('when an anchor is used again, then its value stands in both places', async () => {
    const config = await load(`${MINIMUM}destinations:
  one: { adapter: http, url: https://one.example, lane: &slow { concurrency: 1 } }
  two: { adapter: http, url: https://two.example, lane: *slow }
`)
    expect(config.destinations.map(({ lane }) => lane.concurrency)).toEqual([1, 1])
  })

  test.each(['*nobody', '&self { concurrency: *self }'])(
    'when an alias leads nowhere (%s), then it is told',
    async (lane) => {
      const problems = await problemsOf(
        `${MINIMUM}destinations: { a: { adapter: http, url: https://a.example, lane: ${lane} } }`,
      )
      expect(problems).toMatchObject([{ line: 3, found: 'an alias' }])
    },
  )

  test('when a key is a number, then it is the name that is written', () => {
    const { root, problems } = parseYamlFile(
      'a: { 0101: x, 101: y, 7090012340011000011: z, 25.50: r, 0900: [{ 012: w }] }\n',
    )
    const names = { '0101': 'x', '101': 'y', '7090012340011000011': 'z', '25.5': 'r', '0900': [{ '012': 'w' }] }
    expect({ root, problems }).toEqual({ root: { a: names }, problems: [] })
  })

  test('when a key comes twice, then the second is an error that names the line of the first', async () => {
    expect(await problemsOf(`${MINIMUM}store:\n  url: file:./a.db\n  url: file:./b.db\n`)).toEqual([
      { path: 'store.url', line: 5, found: 'a second "url"', expected: 'each key once (the first is in line 4)' },
    ])
  })

  test('when a key comes twice and the first is wrong as well, then both are told', async () => {
    expect(await problemsOf(`${MINIMUM}store:\n  url: 1\n  url: 2\n`)).toMatchObject([{ line: 4 }, { line: 5 }])
  })

  test.each(['? [a, b]\n: 1\n', '__proto__: { polluted: 1 }\n'])(
    'when a key cannot be a name, then it is told',
    async (text) => {
      expect(await problemsOf(MINIMUM + text)).toMatchObject([{ line: 3, found: 'a key that cannot be a name' }])
    },
  )

  test.each(['- a\n- b\n', 'just text\n', '42\n'])('when the file is no map but %j, then it is told', async (text) => {
    expect(await problemsOf(text)).toMatchObject([{ path: '', line: 1, expected: 'a map of keys and values' }])
  })
})

describe('broken YAML', () => {
  test('when YAML is broken, then what is wrong before the break is told with it', async () => {
    expect(await problemsOf(`${MINIMUM}store: { url: 1 }\nlog: [\nx: 1\n`)).toMatchObject([
      { path: 'store.url', line: 3 },
      { path: '', line: 5, found: SYNTAX },
    ])
  })

  test('when a quote is not closed, then what it swallowed is not called missing', async () => {
    expect(await problemsOf(`server:\n  adminToken: "\${ADMIN_TOKEN}\nplatform: {}\n`)).toEqual([
      { path: '', line: 4, found: SYNTAX, expected: 'valid YAML (Missing closing "quote)' },
    ])
  })

  test('when a placeholder in braces has no quotes, then quotes are asked for', async () => {
    expect(await problemsOf(`server: { adminToken: \${ADMIN_TOKEN} }\nplatform: {}\n`)).toEqual([
      { path: '', line: 1, found: SYNTAX, expected: `quotes around a placeholder inside { } or [ ]: "\${NAME}"` },
    ])
  })

  test('when several lines are broken, then each is told', async () => {
    expect(await problemsOf(`a: @x\nb: "\\q"\nc: !env X\nd: x: y\n`)).toMatchObject(
      [1, 2, 3, 4].map((line) => ({ line })),
    )
  })

  test.each([
    ['a: 1\n\tb: 2\n', 2, 'Tabs are not allowed as indentation'],
    ['a: @x\n', 1, 'Plain value cannot start with reserved character @'],
    ['a: b: c\n', 1, 'Text that holds ": " needs quotes; nested keys go on lines of their own'],
    ['a: "\\q"\n', 1, 'A backslash in "…" begins an escape: write \\\\, or use single quotes'],
    ['a: 1\n---\nb: 2\n', 2, 'One document only: leave out the line with ---'],
    ['a: !env TOKEN\n', 1, 'A tag (!name) means nothing here; text that begins with ! needs quotes'],
    ['- a\nb: 1\n', 2, 'Something stands here that cannot; look at indentation, brackets and quotes'],
    ['a: &x &y 1\n', 1, 'multiple anchors'],
  ])('when %j is written, then it is said why that is no YAML', (text, line, reason) => {
    const { problems } = parseYamlFile(text)
    expect(problems[0]).toEqual({ path: '', line, found: SYNTAX, expected: `valid YAML (${reason})` })
  })
})
