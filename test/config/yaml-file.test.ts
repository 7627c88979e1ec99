import { describe, expect, test } from 'vitest'
import { parseYamlFile } from '../../src/config/yaml-file.ts'
import { MINIMUM, problemsOf } from './fixture.ts'

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

  test.each(['*nobody', '&self { concurrency: *self }'])(
    'when an alias leads nowhere (%s), then it is told',
    async (queue) => {
      const problems = await problemsOf(
        `${MINIMUM}destinations: { a: { adapter: http, url: https://a.example, queue: ${queue} } }`,
      )
      expect(problems).toMatchObject([{ line: 3, found: 'an alias' }])
    },
  )

  test('when a key comes twice, then the second is an error that names the line of the first', async () => {
    expect(await problemsOf(`${MINIMUM}store:\n  url: file:./a.db\n  url: file:./b.db\n`)).toEqual([
      { path: 'store.url', line: 5, found: 'a second "url"', expected: 'each key once (the first is in line 4)' },
    ])
  })

  test.each(['? [a, b]\n: 1\n', '__proto__: { polluted: 1 }\n'])(
    'when a key cannot be a name, then it is told',
    async (text) => {
      expect(await problemsOf(MINIMUM + text)).toMatchObject([{ line: 3, found: 'a key that cannot be a name' }])
    },
  )
})

describe('broken YAML', () => {
  test('when YAML is broken, then what is wrong before the break is told with it', async () => {
    expect(await problemsOf(`${MINIMUM}store: { url: 1 }\nlog: [\nx: 1\n`)).toMatchObject([
      { path: 'store.url', line: 3 },
      { path: '', line: 5, found: SYNTAX },
    ])
  })

  test('when a placeholder in braces has no quotes, then quotes are asked for', async () => {
    expect(await problemsOf(`server: { adminToken: \${ADMIN_TOKEN} }\nplatform: {}\n`)).toEqual([
      { path: '', line: 1, found: SYNTAX, expected: `quotes around a placeholder inside { } or [ ]: "\${NAME}"` },
    ])
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
