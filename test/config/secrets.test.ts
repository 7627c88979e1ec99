import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { maskedConfig } from '../../src/config/schema.ts'
import { secret } from '../../src/lib/schema.ts'
import { createFolder } from '../folder.ts'
import { ENV, errorOf, HttpOptions, load, MINIMUM, problemsOf } from './fixture.ts'

const LITERAL = `a secret from the environment: write \${SOME_NAME} and set that variable`

describe('secrets come from the environment', () => {
  test('when secrets are written into the file, then each is refused and none is shown', async () => {
    const error = await errorOf(`
server:
  adminToken: hunter2-hunter2-hunter2
platform:
  webhooks:
    tokens: ["\${WEBHOOK_TOKEN}", hunter3-hunter3-hunter3, 1234567890123456]
destinations:
  bus:
    adapter: http
    url: https://bus.example.com
    secret: whsec_aHVudGVyMg==
    headers:
      authorization: Bearer \${WEBHOOK_TOKEN}
`)
    expect(error.problems).toEqual([
      { path: 'server.adminToken', line: 3, found: '(secret)', expected: LITERAL },
      { path: 'platform.webhooks.tokens[1]', line: 6, found: '(secret)', expected: LITERAL },
      { path: 'platform.webhooks.tokens[2]', line: 6, found: '(secret)', expected: LITERAL },
      { path: 'destinations.bus.secret', line: 11, found: '(secret)', expected: LITERAL },
      { path: 'destinations.bus.headers.authorization', line: 13, found: '(secret)', expected: LITERAL },
    ])
    expect(inspect(error)).not.toMatch(/hunter|aHVudGVyMg|123456789/)
  })

  for (const [name, written, path] of [
    ['store', 'store: { url: "postgres://pos:hunter2@db.example.com/pos" }', 'store.url'],
    ['store', `store: { url: "postgres://pos:hun\${TER}@db.example.com/pos" }`, 'store.url'],
    ['store', 'store: { url: "postgres://pos@db.example.com/pos?password=hunter2" }', 'store.url'],
    ['hub', `server: { adminToken: "\${ADMIN_TOKEN}", publicUrl: "https://me:hunter2@x.example" }`, 'server.publicUrl'],
    [
      'destination',
      'destinations: { a: { adapter: http, url: "https://a.example/in?x=1&api_key=hunter2#y" } }',
      'destinations.a.url',
    ],
  ] as const)
    test(`when the URL of a ${name} has a secret in it, then it is refused with its line, and not shown`, async () => {
      const minimum = written.startsWith('server') ? MINIMUM.split('\n').slice(1).join('\n') : MINIMUM
      const error = await errorOf(`${minimum}${written}`, { env: { ...ENV, TER: 'ter2' } })
      expect(error.problems).toEqual([
        {
          path,
          line: minimum.split('\n').length,
          found: 'a URL with a secret in it',
          expected: `the secret from the environment: write \${SOME_NAME} in its place, or for the whole`,
        },
      ])
      expect(inspect(error)).not.toMatch(/hunter2|hunter/)
    })

  test.each([
    `postgres://pos:\${DB_PASSWORD}@db.example.com/pos?sslmode=verify-full`,
    'postgres://pos@db.example.com:5432/pos',
    `\${DB_URL}`,
    'file:./data/a@b:c.db',
  ])('when store.url is %s, then it is taken', async (url) => {
    const env = { ...ENV, DB_PASSWORD: 'p:w/@', DB_URL: 'postgres://pos:hunter2@db.example.com/pos' }
    const config = await load(`${MINIMUM}store: { url: "${url}" }`, { env })
    expect(config.store.url).toBe(url.replace(`\${DB_PASSWORD}`, env.DB_PASSWORD).replace(`\${DB_URL}`, env.DB_URL))
  })

  test('when a secret is in a file, or with the credentials of a unit of systemd, then it is read from there', async () => {
    await using folder = await createFolder()
    await writeFile(join(folder.path, 'WEBHOOK_TOKEN'), 'webhook-token-of-a-file\n')
    const env = { WEBHOOK_TOKEN: undefined, CREDENTIALS_DIRECTORY: folder.path }
    const named = await load(MINIMUM, { env })
    expect(named.platform.webhooks.tokens).toEqual(['webhook-token-of-a-file'])
    const file = `\${file:${join(folder.path, 'WEBHOOK_TOKEN')}}`
    const filed = await load(`${MINIMUM}store: { url: "postgres://pos:${file}@db.example.com/pos" }`)
    expect(filed.store.url).toBe('postgres://pos:webhook-token-of-a-file@db.example.com/pos')
  })

  test('when the file of a secret is not there, or is named from nowhere, then it is a problem at its line', async () => {
    const problems = await problemsOf(`${MINIMUM}store: { url: "\${file:/no/such}" }\nmirror: "\${file:here}"`)
    expect(problems).toMatchObject([
      { path: 'store.url', line: 3, found: `\${file:/no/such}`, expected: 'a file that can be read' },
      { path: 'mirror', line: 4, found: 'a placeholder without such a name' },
    ])
  })

  test.each([
    ['optional', secret(z.string()).optional()],
    ['marked after optional', secret(z.string().optional())],
    ['a default', secret(z.string()).default('none')],
    ['nullable', secret(z.string()).nullable()],
    ['transformed', secret(z.string()).transform((text) => text.length)],
    ['a choice', z.union([z.number(), secret(z.string())])],
    ['lazy', z.lazy(() => secret(z.string()))],
    ['readonly', secret(z.string()).readonly()],
  ])('when a secret is %s, then a literal is refused all the same', async (_, schema) => {
    const options = { own: z.object({ key: schema }) }
    const problems = await problemsOf(`${MINIMUM}destinations: { a: { adapter: own, key: hunter2 } }`, { options })
    expect(problems).toEqual([{ path: 'destinations.a.key', line: 3, found: '(secret)', expected: LITERAL }])
  })

  test.each([
    ['a list', z.array(secret(z.string())), '[hunter2]', '[0]'],
    ['a marked list', secret(z.array(z.string())), '[hunter2]', '[0]'],
    ['a map', z.record(z.string(), secret(z.string())), '{ x: hunter2 }', '.x'],
    ['a marked map', secret(z.record(z.string(), z.string())), '{ x: hunter2 }', '.x'],
    ['a pair', z.tuple([z.string(), secret(z.string())]), '[me, hunter2]', '[1]'],
    ['an inner section', z.strictObject({ x: secret(z.string()) }), '{ x: hunter2 }', '.x'],
  ])('when a secret stands in %s, then a literal is refused all the same', async (_, schema, written, where) => {
    const options = { own: z.object({ key: schema }) }
    const problems = await problemsOf(`${MINIMUM}destinations: { a: { adapter: own, key: ${written} } }`, { options })
    expect(problems).toEqual([{ path: `destinations.a.key${where}`, line: 3, found: '(secret)', expected: LITERAL }])
  })
})

describe('secrets are never shown', () => {
  test('when a text stands where secrets should be listed, then it is not shown', async () => {
    const error = await errorOf(`
server: { adminToken: "\${ADMIN_TOKEN}" }
platform: { webhooks: { tokens: hunter2-hunter2-hunter2 } }
`)
    expect(error.problems).toEqual([{ path: 'platform.webhooks.tokens', line: 3, found: 'text', expected: 'a list' }])
    expect(inspect(error)).not.toContain('hunter2')
  })

  test('a role beside a token of server.admins is written and shown as it is, and the token is not', async () => {
    const section = (admins: string) => MINIMUM.replace(' }', `, admins: ${admins} }`)
    const config = await load(section(`{ kari: { token: "\${KARI}", role: viewer }, ola: "\${OLA}" }`), {
      env: { KARI: 'hunter1-hunter1-hunter1', OLA: 'hunter2-hunter2-hunter2' },
    })
    expect(config.server.admins).toMatchObject({ kari: { role: 'viewer' }, ola: { role: null } })
    expect(
      inspect(
        maskedConfig(config, () => HttpOptions),
        { depth: null },
      ),
    ).toMatch(/'viewer'/)
    expect(
      inspect(
        maskedConfig(config, () => HttpOptions),
        { depth: null },
      ),
    ).not.toMatch(/hunter/)

    expect(await problemsOf(section('{ kari: { token: hunter3-hunter3-hunter3, role: viewr } }'))).toMatchObject([
      { path: 'server.admins.kari.token', found: '(secret)', expected: LITERAL },
      { path: 'server.admins.kari.role', found: '"viewr"' },
    ])
    const misplaced = await errorOf(section('{ kari: { tokn: hunter4-hunter4-hunter4 } }'))
    expect(inspect(misplaced)).not.toContain('hunter4')
  })

  test('when a secret stands under a mistyped key, then only the key is shown', async () => {
    const error = await errorOf(
      `${MINIMUM}destinations: { a: { adapter: http, url: https://a.example, secrt: hunter2 } }`,
    )
    expect(error.problems).toMatchObject([{ path: 'destinations.a.secrt', found: 'an unknown key' }])
    expect(inspect(error)).not.toContain('hunter2')
  })

  test('when a secret from the environment is refused, then it is not shown', async () => {
    const error = await errorOf(
      `${MINIMUM}destinations: { a: { adapter: http, url: https://a.example, secret: "\${S}" } }`,
      { env: { S: 'hunter2' } },
    )
    expect(error.problems).toMatchObject([{ found: '(secret)', expected: 'whsec_ and base64' }])
    expect(inspect(error)).not.toContain('hunter2')
  })

  test('when an adapter’s own message repeats a secret, then it is taken out', async () => {
    const key = secret(z.string()).superRefine((value, context) => {
      context.addIssue({ code: 'custom', message: `Must be base64, ${value} is not.` })
    })
    const whole = z.object({ key, other: z.string() }).superRefine(({ other }, context) => {
      context.addIssue({ code: 'custom', path: ['other'], message: `Must not be ${other}.` })
    })
    const text = `${MINIMUM}destinations: { a: { adapter: own, key: "\${S}", other: "\${S}" } }`
    const error = await errorOf(text, { options: { own: whole }, env: { S: 'hunter2' } })
    expect(error.problems).toMatchObject([
      { path: 'destinations.a.key', expected: 'base64, (secret) is not' },
      { path: 'destinations.a.other', expected: 'a value that must not be (secret)' },
    ])
    expect(inspect(error)).not.toContain('hunter2')
  })

  test('when a URL with a token is refused, then its user and its query are not shown', async () => {
    const text = `${MINIMUM}destinations: { a: { adapter: http, url: "htp://hunter2@a.example/x?of=hunter3" } }`
    expect(await problemsOf(text)).toMatchObject([{ found: '"htp://(secret)@a.example/x?(secret)"' }])
  })

  test('when the YAML is broken at a secret, then the message holds nothing of the file', async () => {
    for (const broken of [
      '@hunter2',
      '"hunter2\\q"',
      '!hunter2 x',
      '*hunter2',
      'a: hunter2: b',
      '[hunter2',
      '"hunter2',
      '| hunter2',
    ])
      expect(inspect(await errorOf(`server:\n  adminToken: ${broken}\n`))).not.toContain('hunter2')
  })

  test('when the config is shown, then secrets are masked and all else is there', async () => {
    const config = await load(
      `${MINIMUM}destinations: { bus: { adapter: http, url: "https://bus.example.com/in?token=\${BUS_SECRET}", secret: "\${BUS_SECRET}", headers: { x-key: "\${BUS_SECRET}" } } }`,
    )
    const shown = maskedConfig(config, (adapter) => (adapter === 'http' ? HttpOptions : undefined))
    expect(shown).toMatchObject({
      server: { port: 8080, adminToken: '(secret)', maxBody: 8_388_608 },
      platform: { webhooks: { tokens: ['(secret)'] } },
      destinations: [
        {
          name: 'bus',
          queue: { concurrency: 4 },
          options: { url: 'https://bus.example.com/in?(secret)', secret: '(secret)', headers: { 'x-key': '(secret)' } },
        },
      ],
    })
    for (const value of Object.values(ENV)) expect(JSON.stringify(shown)).not.toContain(value)
  })

  test('when an archive is on a server, then its password comes from the environment, and is masked', async () => {
    const archive = (password: string) =>
      `${MINIMUM}retention: { archive: { sftp: { host: backup, user: POS, password: "${password}", hostKey: any, folder: in } } }`
    expect(await problemsOf(archive('hunter2'))).toMatchObject([
      { path: 'retention.archive.sftp.password', found: '(secret)', expected: LITERAL },
    ])
    const config = await load(archive('$' + '{BUS_SECRET}'))
    expect(config.retention.archive?.sftp?.password).toBe(ENV.BUS_SECRET)
    expect(maskedConfig(config, () => undefined)).toMatchObject({
      retention: { archive: { sftp: { host: 'backup', password: '(secret)' } } },
    })
  })

  test('when the options of an adapter are not known, then all of them are masked', async () => {
    const config = await load(`${MINIMUM}destinations: { bus: { adapter: http, url: https://bus.example.com } }`)
    expect(maskedConfig(config, () => undefined)).toMatchObject({
      destinations: [{ options: { url: '(secret)', retries: '(secret)' } }],
    })
  })
})
