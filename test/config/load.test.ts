import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { loadAdapter } from '../../src/adapters/index.ts'
import { ConfigError, completed, flattenIssues, plainWords } from '../../src/config/issues.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createEnvReader } from '../../src/config/placeholders.ts'
import { UserError } from '../../src/domain/values/errors.ts'
import { ENV, fileWith, HttpOptions, MINIMUM, problemsOf, temporaryFolder } from './fixture.ts'

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
      'adapter, publish, skip, stores, messages, stocks, channels, accounts, daily, intake, dryRun, queue, url, secret, headers, retries, gzip'
    expect(String(error instanceof Error && error.message).split('\n')).toEqual([
      `${path}:2 server.prot: found an unknown key, expected one of port, host, publicUrl, adminToken, admins, trustProxy, maxBody, limits, timeouts; did you mean "port"?`,
      `${path}:3 server.port: found "80a", expected a number`,
      `${path}:5 server.publicUrl: found "htp:/x", expected an http or https URL`,
      `${path}:9 platform.webhooks.tokens[0]: found \${UNSET_TOKEN}, expected the environment variable UNSET_TOKEN to be set`,
      `${path}:13 destinations.bus.url: found "htp:/x", expected an http or https URL`,
      `${path}:14 destinations.bus.scret: found an unknown key, expected one of ${keys}; did you mean "secret"?`,
      `${path}:16 destinations.sms.adapter: found "htpp", expected an adapter that can be used: There is no adapter "htpp".`,
      `${path}:17 logs: found an unknown key, expected one of server, store, platform, jobs, reconcile, readBack, pulls, destinations, mirror, lookups, clocks, inactivity, completeness, alarms, retention, log; did you mean "log"?`,
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
    expect(config.destinations.map(({ adapter }) => adapter)).toEqual([
      'http',
      'woocommerce',
      'smtp',
      'sms-http',
      'files',
    ])
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
