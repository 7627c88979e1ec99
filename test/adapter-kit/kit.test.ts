import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AdapterKit, type CaseResult, testAdapter } from '../../src/adapter-kit/kit.ts'
import type { Adapter } from '../../src/adapters/adapter.ts'
import { loadAdapter } from '../../src/adapters/index.ts'
import { PermanentError, UserError } from '../../src/domain/values/errors.ts'
import type { Attempt, PublishedEvent, PublishPort } from '../../src/ports/ports.ts'

const queue = await loadAdapter(resolve('config/adapter/index.js'), '/')
const { default: kit }: { default: AdapterKit } = await import(pathToFileURL(resolve('config/adapter/kit.js')).href)

/** The queue's adapter, with another `publish` around its own. */
function changed(
  publish: (own: PublishPort, event: PublishedEvent, attempt: Attempt) => ReturnType<PublishPort['publish']>,
) {
  return {
    ...queue,
    create(options, context) {
      const instance = queue.create(options, context)
      const own = instance.ports.publish as PublishPort
      return { ...instance, ports: { publish: { publish: (event, attempt) => publish(own, event, attempt) } } }
    },
  } satisfies Adapter as Adapter
}

const failedIn = (results: CaseResult[]) => results.filter(({ verdict }) => verdict === 'FAIL').map((one) => one.case)
const inDoubt = ['duplicate', 'crash between call and outcome', 'reorder', 'time-out after success', 'answer lost']

test('an adapter that sends the key and reads the answer makes one effect in each case', async () => {
  const results = await testAdapter(queue, kit)
  expect(results.map((one) => one.case)).toEqual(
    ['done', ...inDoubt, 'request lost', '429 with Retry-After', 'answer 500', 'answer 503', 'answer 401'].concat([
      'HTML instead of an answer',
      'empty answer',
      'JSON of another shape',
      'replica lag',
    ]),
  )
  expect(new Set(results.map(({ verdict }) => verdict))).toEqual(new Set(['one effect']))
})

describe('an adapter fails by name', () => {
  let keys = 0

  test.each<[string, Parameters<typeof changed>[0], string[]]>([
    [
      'where it sends another key each time',
      (own, event, attempt) => own.publish(event, { ...attempt, key: `${attempt.key}-${++keys}` }),
      [...inDoubt, 'replica lag'],
    ],
    [
      'where it says done whatever comes',
      (own, event, attempt) => own.publish(event, attempt).catch(() => ({ note: 'done' })),
      [
        ...['request lost', '429 with Retry-After', 'answer 500', 'answer 503', 'answer 401'],
        ...['HTML instead of an answer', 'empty answer', 'JSON of another shape'],
      ],
    ],
    [
      'where it takes each failure for a refusal',
      (own, event, attempt) =>
        own.publish(event, attempt).catch(({ message }: Error) => Promise.reject(new PermanentError(message))),
      ['time-out after success', 'answer lost', '429 with Retry-After', 'replica lag'],
    ],
    [
      'where it gives no reason',
      (own, event, attempt) => own.publish(event, attempt).catch(() => Promise.reject(new PermanentError(''))),
      [
        ...[
          'time-out after success',
          'answer lost',
          'request lost',
          '429 with Retry-After',
          'answer 500',
          'answer 503',
        ],
        ...['answer 401', 'HTML instead of an answer', 'empty answer', 'JSON of another shape', 'replica lag'],
      ],
    ],
    [
      'where it does not stop when told to',
      (own, event, { key }) => own.publish(event, { key, signal: new AbortController().signal } as Attempt),
      ['time-out after success'],
    ],
    ['where it does nothing', async () => ({ note: 'done' }), ['done']],
    ['where it refuses what is right', () => Promise.reject(new PermanentError('no')), ['done']],
  ])('%s', async (_, publish, cases) => {
    expect(failedIn(await testAdapter(changed(publish), kit))).toEqual(cases)
  })

  test('where its options are not described, or others are taken', async () => {
    const results = await testAdapter({ ...queue, options: z.object({ url: z.string(), token: z.string() }) }, kit)
    expect(results.filter((one) => one.case === 'options').map(({ detail }) => detail)).toEqual([
      "url is not described: .describe('…')",
      "token is not described: .describe('…')",
      'an unknown key is not refused: z.strictObject',
    ])
  })

  test('where it has no port', async () => {
    const bare: Adapter = { ...queue, create: () => ({ ports: {}, async [Symbol.asyncDispose]() {} }) }
    expect(failedIn(await testAdapter(bare, kit))).toEqual(['ports'])
  })
})

test('an adapter with a port that there is not is refused by its name', async () => {
  const create: Adapter['create'] = (...given) => {
    const instance = queue.create(...given)
    return { ...instance, ports: { publsh: instance.ports.publish } as object }
  }
  await expect(testAdapter({ ...queue, create }, kit)).rejects.toThrow(
    /^The adapter has the port publsh, which is none of publish, /,
  )
})

test('an adapter that cannot be closed is refused in words, and its system is stopped', async () => {
  let stopped = 0
  const start: AdapterKit['start'] = async () => {
    const system = await kit.start()
    return {
      ...system,
      async [Symbol.asyncDispose]() {
        await system[Symbol.asyncDispose]()
        stopped += 1
      },
    }
  }
  const create: Adapter['create'] = (...given) => ({
    ...queue.create(...given),
    [Symbol.asyncDispose]: () => Promise.reject(new ReferenceError('client is not defined')),
  })
  await expect(testAdapter({ ...queue, create }, { start })).rejects.toThrow(
    /^The adapter cannot be closed: client is not defined$/,
  )
  expect(stopped).toBe(1)
})

test('a kit whose options the adapter refuses is refused by the name of the option', async () => {
  const start: AdapterKit['start'] = async () => ({
    ...(await kit.start()),
    options: (url) => ({ url, token: 'short' }),
  })
  await expect(testAdapter(queue, { start })).rejects.toThrow(UserError)
  await expect(testAdapter(queue, { start })).rejects.toThrow(/options of its kit: token: /)
})

test.each<[string, () => unknown, RegExp]>([
  ['cannot start its system', () => Promise.reject(new Error('no port')), /^start\(\) of the kit failed: no port$/],
  ['starts nothing', () => undefined, /must give options, effects and/],
  [
    'counts no effects',
    async () => ({ ...(await kit.start()), effects: () => '1' }),
    /no whole number for \S+, but '1'/,
  ],
])('a kit that %s is refused in words', async (_, start, says) => {
  await expect(testAdapter(queue, { start } as AdapterKit)).rejects.toThrow(says)
})

test('an adapter that cannot be made is refused in words', async () => {
  const create = () => {
    throw new TypeError('no such thing')
  }
  await expect(testAdapter({ ...queue, create }, kit)).rejects.toThrow(/^The adapter cannot be made: no such thing$/)
})

test('an adapter of which the status alone counts, or that may repeat, is told from one that fails', async () => {
  let sent = 0
  const results = await testAdapter(
    changed((own, event, attempt) => own.publish(event, { ...attempt, key: `${attempt.key}-${++sent}` })),
    { ...kit, statusAlone: { 'publish.publish': 'any receiver' }, mayRepeat: 'it knows no keys' },
  )
  expect(Object.fromEntries(results.map((one) => [one.case, one.verdict]))).toMatchObject({
    ...{ done: 'one effect', 'answer lost': 'may repeat, as it says', 'empty answer': 'one effect' },
    ...{ '429 with Retry-After': 'one effect' },
  })
})
