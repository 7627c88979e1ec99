import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { loadAdapter } from '../../src/adapters/index.ts'
import { ConfigError, completed, flattenIssues, plainWords } from '../../src/config/issues.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createEnvReader } from '../../src/config/placeholders.ts'
import { parseYamlFile } from '../../src/config/yaml-file.ts'
import { UserError } from '../../src/domain/values/errors.ts'
import { ENV, errorOf, fileWith, HttpOptions, load, MINIMUM, problemsOf, temporaryFolder } from './fixture.ts'

describe('everything that is wrong, at once', () => {
  test('when a file has many faults, then each is listed with its line, in the order of the file', async () => {
    const path = await fileWith(`server:
  prot: 8080
  port: 80a
  adminToken: \${ADMIN_TOKEN}
  publicUrl: htp:/x
platform:
  webhooks:
    tokens:
      - \${UNSET_TOKEN}
destinations:
  bus:
    adapter: http
    url: htp:/x
    scret: \${BUS_SECRET}
  sms:
    adapter: htpp
logs: {}
`)
    const adapterOptions = async (adapter: string) => {
      if (adapter !== 'http') throw new UserError(`There is no adapter "${adapter}".`)
      return HttpOptions
    }
    const error = await loadConfig({ path, env: ENV, adapterOptions }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toBeInstanceOf(UserError)
    const keys =
      'adapter, publish, skip, stores, messages, stocks, channels, accounts, daily, intake, allowPrivate, dryRun, queue, url, secret, headers, retries, gzip'
    expect(String(error instanceof Error && error.message).split('\n')).toEqual([
      `${path}:2 server.prot: found an unknown key, expected one of port, host, publicUrl, admin, adminToken, admins, trustProxy, allow, maxBody, limits, timeouts; did you mean "port"?`,
      `${path}:3 server.port: found "80a", expected a number`,
      `${path}:5 server.publicUrl: found "htp:/x", expected an http or https URL`,
      `${path}:9 platform.webhooks.tokens[0]: found \${UNSET_TOKEN}, expected the environment variable UNSET_TOKEN to be set`,
      `${path}:13 destinations.bus.url: found "htp:/x", expected an http or https URL`,
      `${path}:14 destinations.bus.scret: found an unknown key, expected one of ${keys}; did you mean "secret"?`,
      `${path}:16 destinations.sms.adapter: found "htpp", expected an adapter that can be used: There is no adapter "htpp".`,
      `${path}:17 logs: found an unknown key, expected one of server, store, platform, jobs, reconcile, readBack, pulls, destinations, mirror, lookups, clocks, inactivity, completeness, alarms, retention, console, tracing, log; did you mean "log"?`,
    ])
  })

  test('when a key is missing, then it is told at the line of what should hold it', async () => {
    const problems = await problemsOf(`${MINIMUM}destinations:\n  one:\n    queue: {}\n\n  bus:\n    adapter: http\n`)
    expect(problems).toMatchObject([
      { path: 'destinations.one.adapter', line: 4, found: 'nothing' },
      { path: 'destinations.bus.url', line: 7, found: 'nothing' },
    ])
  })

  test('when an unknown key holds a variable that is not set, then both are told', async () => {
    expect(await problemsOf(`${MINIMUM}store: { ulr: "\${UNSET}" }`)).toMatchObject([
      { path: 'store.ulr', expected: 'the environment variable UNSET to be set' },
      { path: 'store.ulr', found: 'an unknown key' },
    ])
  })
})

describe('adapters', () => {
  test('when an adapter is named, then its options are asked for by name and the folder of the config', async () => {
    const path = await fileWith(`${MINIMUM}destinations: { own: { adapter: ./own.ts } }`)
    const asked: string[][] = []
    await loadConfig({
      path,
      env: ENV,
      adapterOptions: async (...names) => {
        asked.push(names)
        return z.object({})
      },
    })
    expect(asked).toEqual([['./own.ts', resolve(path, '..')]])
  })

  test('when an adapter checks its options with a promise, then it is waited for', async () => {
    const options = { own: z.object({ host: z.string().refine(async () => false, { error: 'a host that answers' }) }) }
    expect(await problemsOf(`${MINIMUM}destinations: { a: { adapter: own, host: x } }`, { options })).toEqual([
      { path: 'destinations.a.host', line: 3, found: '"x"', expected: 'a host that answers' },
    ])
  })
})

describe('the file', () => {
  test('when there is no config, then one line says how to get one', async () => {
    const path = join(await temporaryFolder(), 'tillbridge.yaml')
    const loading = loadConfig({ path, env: {}, adapterOptions: async () => HttpOptions })
    await expect(loading).rejects.toThrow(
      new UserError(
        `There is no config at ${path}: say where it is (TILLBRIDGE_CONFIG), or write one to begin with (tillbridge init)`,
      ),
    )
  })

  test('when the example is copied and its variables are set, then it loads', async () => {
    const folder = join(await temporaryFolder(), 'config')
    await mkdir(folder)
    await copyFile('config/example.yaml', join(folder, 'tillbridge.yaml'))
    const { config } = await loadConfig({
      path: join(folder, 'tillbridge.yaml'),
      env: ENV,
      adapterOptions: async () => HttpOptions,
    })
    expect(config.destinations).toMatchObject([
      { name: 'bus', adapter: 'http', publish: ['SaleCreated', 'StockMovementCreated'] },
    ])
  })

  test('when the commented keys of the example are put in, then it still loads', async () => {
    const example = await readFile('config/example.yaml', 'utf8')
    const all = example.replace(/^(\s*)# (\s*\w+:(?: |$))/gm, '$1$2')
    const path = join(await temporaryFolder(), 'tillbridge.yaml')
    await writeFile(path, all)
    const env = {
      ...ENV,
      BUS_SECRET: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
      PLATFORM_API_KEY: 'key-of-the-integration-user',
      PLATFORM_SUBSCRIPTION_KEY: 'key-of-the-developer-portal',
      SHOP_KEY: 'ck_0123456789',
      SHOP_SECRET: 'cs_0123456789',
      SHOP_WEBHOOK_SECRET: 'secret-of-the-webhooks',
      POS_TOKEN: 'token-of-the-pos',
      KARI_TOKEN: 'token-of-kari-in-the-example',
      ERP_PASSWORD: 'password-of-the-erp',
      MAIL_URL: 'smtps://shop:secret@mail.example.com',
    }
    const { config } = await loadConfig({
      path,
      env,
      adapterOptions: async (adapter, folder) => (await loadAdapter(adapter, folder)).options,
    })
    expect(config.platform.webhooks).toMatchObject({ eventIdHeader: 'x-event-id', kinds: 'all' })
    expect(config.platform.baseUrl).toBe('https://pos.example.com')
    expect(config.destinations[0]).toMatchObject({ dryRun: true, stores: ['101', 'SE'] })
    expect(config.destinations.map(({ adapter }) => adapter)).toEqual('http woocommerce smtp sms-http files'.split(' '))
    expect(config.destinations[1]).toMatchObject({
      intake: { stores: { 'Oslo City': '101' } },
      channels: { web: { stocks: ['12', '900'], safetyStock: '1' } },
    })
    expect(config.lookups.customers?.ask).toEqual(['shop', 'directory'])
  })
})

test('when a file changes that Node was told to read the environment from, then its values are those of now, and what was given otherwise stays', async () => {
  const file = join(await temporaryFolder(), '.env')
  await writeFile(file, 'TOKEN=one\nGIVEN=of the file\nGOES=soon\n')
  // As Node makes it: what the process was given is stronger than the file.
  const env = { TOKEN: 'one', GOES: 'soon', GIVEN: 'to the process', PATH: '/bin' }
  const given = { GIVEN: 'to the process', PATH: '/bin' }
  for (const args of [
    [`--env-file=${file}`],
    ['--no-warnings', `--env-file-if-exists=${file}`],
    ['--env-file', file],
  ]) {
    await writeFile(file, 'TOKEN=one\nGIVEN=of the file\nGOES=soon\n')
    const read = createEnvReader(env, args)
    expect(read()).toEqual(env)
    await writeFile(file, 'TOKEN="two"\nGIVEN=another\nCOMES=new\n')
    expect(read()).toEqual({ ...given, TOKEN: 'two', COMES: 'new' })
  }
})

test('when Node was told of no file, or of one that is not there, then the environment stays as it was', async () => {
  const env = { TOKEN: 'one' }
  expect(createEnvReader(env, [])()).toEqual(env)
  expect(createEnvReader(env, ['--env-file-if-exists=/nowhere/.env'])()).toEqual(env)
})

function wordsFor(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, { error: plainWords })
  return flattenIssues(error?.issues ?? []).map(({ path, expected }) => [...path, expected].join(' '))
}

describe('what was expected, in plain words', () => {
  test.each([
    ['invalid_type', z.string(), undefined, 'text'],
    ['invalid_type', z.string(), 1, 'text: put it in quotes'],
    ['invalid_type', z.number(), 'x', 'a number'],
    ['invalid_type', z.int(), 1.5, 'a whole number'],
    ['invalid_type', z.boolean(), 'yes', 'true or false'],
    ['invalid_type', z.array(z.string()), 'x', 'a list'],
    ['invalid_type', z.record(z.string(), z.string()), 'x', 'a map of keys and values'],
    ['invalid_value', z.enum(['a', 'b']), 'x', 'one of "a", "b"'],
    ['invalid_format', z.url(), 'x', 'a URL, such as https://example.com'],
    ['invalid_format', z.string().regex(/^a+$/), 'x', 'text that matches /^a+$/'],
    ['invalid_format', z.string().startsWith('whsec_'), 'x', 'text that begins with "whsec_"'],
    ['too_small', z.string().min(2), 'x', 'at least 2 characters'],
    ['too_small', z.string().min(1), '', 'at least 1 character'],
    ['too_small', z.array(z.string()).min(1), [], 'at least 1 item in the list'],
    ['too_small', z.number().min(1), 0, 'at least 1'],
    ['too_big', z.string().max(1), 'xx', 'at most 1 character'],
    ['unrecognized_keys', z.strictObject({}), { a: 1, b: 2 }, 'a only keys that are known'],
    ['invalid_key', z.record(z.string().min(2), z.string()), { x: '' }, 'x at least 2 characters'],
    ['custom', z.string().refine(() => false, 'a day of the week'), 'x', 'a day of the week'],
  ])('when zod says %s', (_, schema, value, words) => {
    expect(wordsFor(schema, value)[0]).toBe(words)
  })

  test('when the key that chooses a branch holds another value, then those that it may hold are listed', () => {
    const choice = z.discriminatedUnion('type', [
      z.object({ type: z.literal('a') }),
      z.object({ type: z.literal('b') }),
    ])
    expect(wordsFor(choice, { type: 'c' })).toEqual(['type one of "a", "b"'])
  })

  test('when a schema’s message is a sentence, then it is made to fit', () => {
    expect(completed('Must be an http or https URL.')).toBe('an http or https URL')
    expect(completed('Must not have a fragment.')).toBe('a value that must not have a fragment')
    expect(completed('Is given twice.')).toBe('another value: Is given twice')
    expect(completed('a whole number')).toBe('a whole number')
  })
})

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

  for (const queue of ['*nobody', '&self { concurrency: *self }'] as const)
    test(`when an alias leads nowhere (${queue}), then it is told`, async () => {
      const problems = await problemsOf(
        `${MINIMUM}destinations: { a: { adapter: http, url: https://a.example, queue: ${queue} } }`,
      )
      expect(problems).toMatchObject([{ line: 3, found: 'an alias' }])
    })

  test('when a key comes twice, then the second is an error that names the line of the first', async () => {
    expect(await problemsOf(`${MINIMUM}store:\n  url: file:./a.db\n  url: file:./b.db\n`)).toEqual([
      { path: 'store.url', line: 5, found: 'a second "url"', expected: 'each key once (the first is in line 4)' },
    ])
  })

  for (const text of ['? [a, b]\n: 1\n', '__proto__: { polluted: 1 }\n'] as const)
    test(`when a key cannot be a name, then it is told`, async () => {
      expect(await problemsOf(MINIMUM + text)).toMatchObject([{ line: 3, found: 'a key that cannot be a name' }])
    })
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
      { env: { N: '7', B: 'true' } },
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

  for (const written of [`\${}`, `\${}x`, `\${A-B}`, `\${A:-default}`, `\${A`] as const)
    test(`when ${written} is written, then it is no placeholder`, async () => {
      const [problem] = await problemsOf(`${MINIMUM}store:\n  url: file:./'${written}'\n`)
      expect(problem).toMatchObject({ path: 'store.url', line: 4, found: 'a placeholder without such a name' })
    })

  test('when the adapter comes from the environment, then its options are checked', async () => {
    const [problem] = await problemsOf(`${MINIMUM}destinations: { bus: { adapter: "\${KIND}" } }`, {
      env: { KIND: 'http' },
    })
    expect(problem).toMatchObject({ path: 'destinations.bus.url', found: 'nothing', expected: 'an http or https URL' })
  })
})
