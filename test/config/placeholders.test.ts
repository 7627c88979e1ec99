import { describe, expect, test } from 'vitest'
import { errorOf, load, MINIMUM, problemsOf } from './fixture.ts'

const bus = (lines: string) =>
  `${MINIMUM}destinations:\n  bus:\n    adapter: http\n    url: https://bus.example.com\n${lines}`

describe('values from the environment', () => {
  test.each([
    ['quotes', `he said "no" and 'yes'`],
    ['line breaks', 'first\nsecond: third\n- fourth'],
    ['colons and comments', 'a: b # c'],
    ['braces and brackets', '{ a: [b] }'],
    ['another placeholder', `\${ADMIN_TOKEN}`],
    ['the signs of a replacement', "$& $1 $$ $'"],
  ])('when a value holds %s, then it stays one text', async (_, value) => {
    const config = await load(bus(`    headers: { x-note: "\${NOTE}" }\n`), { env: { NOTE: value } })
    expect(config.destinations[0]?.options.headers).toEqual({ 'x-note': value })
  })

  test('when a placeholder is part of a text, then the text around it stays', async () => {
    const config = await load(`${MINIMUM}store: { url: "file:./\${A}/\${B}.db" }`, { env: { A: 'data', B: 'hub' } })
    expect(config.store.url).toBe('file:./data/hub.db')
  })

  test('when a placeholder is escaped, then it stays as it is', async () => {
    const config = await load(`${MINIMUM}store: { url: "file:./$\${A}.db" }`)
    expect(config.store.url).toBe(`file:./\${A}.db`)
  })

  test('when a number or a boolean is expected, then a placeholder gives one', async () => {
    const config = await load(
      bus(`    retries: \${N}\n    gzip: \${B}\n    dryRun: \${B}\n    queue: { concurrency: "\${N}" }\n`),
      {
        env: { N: '7', B: 'true' },
      },
    )
    expect(config.destinations[0]).toMatchObject({
      dryRun: true,
      queue: { concurrency: 7 },
      options: { retries: 7, gzip: true },
    })
  })

  test('when a placeholder gives no number, then its name is shown, and not what it holds', async () => {
    const error = await errorOf(bus(`    retries: \${N}\n`), { env: { N: 'hunter2hunter2' } })
    expect(error.problems).toEqual([
      { path: 'destinations.bus.retries', line: 7, found: `the value of \${N}`, expected: 'a number' },
    ])
  })

  test('when variables are not set, then each is named with the key that wants it', async () => {
    const problems = await problemsOf(bus(`    secret: \${ONE}\n    headers:\n      x-two: \${TWO}\${THREE}\n`))
    expect(problems).toEqual([
      {
        path: 'destinations.bus.secret',
        line: 7,
        found: `\${ONE}`,
        expected: 'the environment variable ONE to be set',
      },
      {
        path: 'destinations.bus.headers.x-two',
        line: 9,
        found: `\${TWO}`,
        expected: 'the environment variable TWO to be set',
      },
    ])
  })

  test.each([`\${}`, `\${}x`, `\${A-B}`, `\${A:-default}`, `\${A`])(
    'when %s is written, then it is no placeholder',
    async (written) => {
      const [problem] = await problemsOf(`${MINIMUM}store:\n  url: file:./'${written}'\n`)
      expect(problem).toMatchObject({ path: 'store.url', line: 4, found: 'a placeholder without such a name' })
    },
  )

  test('when the adapter comes from the environment, then its options are checked', async () => {
    const [problem] = await problemsOf(`${MINIMUM}destinations: { bus: { adapter: "\${KIND}" } }`, {
      env: { KIND: 'http' },
    })
    expect(problem).toMatchObject({ path: 'destinations.bus.url', found: 'nothing', expected: 'an http or https URL' })
  })
})
