import { inspect } from 'node:util'
import { describe, expect, test as vitestTest } from 'vitest'
import type { Adapter, AdapterInstance } from '../../src/adapters/adapter.ts'
import { runHealthCheck } from '../../src/adapters/shared/health-check.ts'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../src/domain/values/errors.ts'
import type { Attempt, Effect, Ports } from '../../src/ports/ports.ts'
import type { Call, Expected, Peer, Situation, Transport } from './peer.ts'

/** What one adapter gives the suite that all adapters pass. */
export interface AdapterContract<Script> {
  adapter: Adapter
  transport: Transport<Script>
  /** Good options for a system at this address, with every secret in use. */
  options(address: string): Record<string, unknown>
  /** Option values that must be refused, each named by its key (`headers.host`). */
  badOptions: { key: string; why: string; value: unknown }[]
  act(ports: Ports, attempt: Attempt): Promise<Effect>
  /** Texts that no error may show, though the peer says everything back. */
  secrets: string[]
  /** Where the attempt's key is found in a call. */
  keyOf(call: Call): string | undefined
  /** Tests that this adapter cannot pass, with the reason why that is right. */
  skip?: { reason: string; tests: string[] }[]
}

/** The one suite for adapters: options, outcomes, idempotency, aborting, secrets and disposal, over real sockets. */
export function adapterContract<Script>(contract: AdapterContract<Script>): void {
  const { adapter, transport, skip = [] } = contract
  const names = new Set<string>()

  function test(name: string, run: () => void | Promise<void>): void {
    names.add(name)
    const skipped = skip.find(({ tests }) => tests.includes(name))
    if (skipped) vitestTest.skip(`${name} (${skipped.reason})`)
    else vitestTest(name, run)
  }

  function create(address: string, timeout = 5_000): AdapterInstance {
    const options = adapter.options.parse(contract.options(address))
    return adapter.create(options, { destination: 'bus', timeout, concurrency: 4 })
  }

  async function failure(promise: Promise<unknown>): Promise<Error> {
    const error = await promise.then(
      () => new Error('It did not fail.'),
      (thrown: Error) => thrown,
    )
    expectNoSecrets(error, contract.secrets)
    return error
  }

  /** A call with a short limit may end before it was sent, where the machine is busy: then it is given longer. */
  async function meet(peer: Peer<Script>, situation: Situation<Script>): Promise<void> {
    const { script, expected, notBefore, timeout } = situation
    await using instance = create(peer.address, timeout)
    peer.play(script)
    const acting = contract.act(instance.ports, attempt())
    if (expected === 'delivered') await acting
    else {
      const error = await failure(acting)
      const unsent = expected === 'unknown' && peer.calls.length === 0
      if (unsent && timeout && timeout < 5_000) return meet(peer, { ...situation, timeout: timeout * 10 })
      expect([error.message, outcomeOf(error)]).toEqual([expect.stringMatching(/^bus: /), expected])
      if (notBefore) expectNotBefore(error, notBefore)
    }
    expect(peer.calls, 'one attempt makes one call').toHaveLength(1)
  }

  describe(`the adapter ${adapter.name}`, () => {
    describe('options', () => {
      test('Every option is described', () => {
        for (const [key, schema] of Object.entries(adapter.options.shape)) {
          expect((schema as { description?: string }).description, key).toMatch(/\w/)
        }
      })
      test('When a key is not known, then it is refused by name', () => {
        const written = { ...contract.options('http://127.0.0.1:1'), nonsense: true }
        expect(faults(adapter, written)).toContainEqual(expect.stringContaining('nonsense'))
      })
      for (const { key, why, value } of contract.badOptions) {
        test(`When ${key} ${why}, then it is refused by name`, () => {
          const [top = '', ...rest] = key.split('.')
          const written = { ...contract.options('http://127.0.0.1:1'), [top]: value }
          const found = faults(adapter, written)
          expect(found).toContainEqual(expect.stringMatching(new RegExp(`^${[top, ...rest].join('\\.')}: `)))
          if (typeof value === 'string' && value.length > 8) expect(found.join()).not.toContain(value)
        })
      }
    })

    describe('outcomes', () => {
      for (const situation of transport.situations) {
        test(`When the other side ${situation.name}, then the outcome is ${situation.expected}`, async () => {
          await using peer = await transport.start()
          await meet(peer, situation)
        })
      }
      for (const { name, address } of transport.unreachable) {
        test(`When ${name}, then the outcome is destination`, async () => {
          await using instance = create(address)
          expect(outcomeOf(await failure(contract.act(instance.ports, attempt())))).toBe('destination')
        })
      }
    })

    describe('the key of the attempt', () => {
      test('When an attempt is repeated, then the other side sees the same key, and another one for another', async () => {
        await using peer = await transport.start()
        await using instance = create(peer.address)
        peer.play(transport.accept)
        for (const key of ['A:1:f:p', 'A:1:f:p', 'A:2:f:p']) await contract.act(instance.ports, attempt({ key }))
        const [first, again, other] = peer.calls.map(contract.keyOf)
        expect(first).toMatch(/\S/)
        expect([again === first, other === first]).toEqual([true, false])
      })
    })

    describe('aborting', () => {
      test('When the attempt is aborted while the answer is awaited, then it ends within 200 ms as unknown', async () => {
        await using peer = await transport.start()
        await using instance = create(peer.address)
        peer.play(transport.inactivity)
        const controller = new AbortController()
        const failed = failure(contract.act(instance.ports, attempt({ signal: controller.signal })))
        await peer.until(() => peer.calls.length === 1)
        const since = performance.now()
        controller.abort()
        expect(outcomeOf(await failed)).toBe('unknown')
        expect(performance.now() - since).toBeLessThan(200)
        await peer.until(() => peer.sockets === 0)
      })
      test('When the attempt is aborted before it began, then nothing is sent', async () => {
        await using peer = await transport.start()
        await using instance = create(peer.address)
        const error = await failure(contract.act(instance.ports, attempt({ signal: AbortSignal.abort() })))
        expect([outcomeOf(error), peer.calls.length]).toEqual(['destination', 0])
      })
    })

    describe('looking at its system', () => {
      test('When nothing is answered, then a look ends with its signal, not with a timeout, and shows no secret', async () => {
        await using peer = await transport.start()
        await using instance = create(peer.address, 60_000)
        if (!instance.healthCheck) return
        peer.play(transport.inactivity)
        const controller = new AbortController()
        const looking = runHealthCheck(instance, { signal: controller.signal })
        await Promise.race([looking, peer.until(() => peer.calls.length === 1)])
        controller.abort()
        const found = await looking
        expect(found.length).toBeGreaterThan(0)
        for (const secret of contract.secrets) expect(JSON.stringify(found)).not.toContain(secret)
      })
    })

    describe('disposing', () => {
      test('When it is disposed, then its connections are closed', async () => {
        await using peer = await transport.start()
        peer.play(transport.accept)
        const instance = create(peer.address)
        await contract.act(instance.ports, attempt())
        await instance[Symbol.asyncDispose]()
        await peer.until(() => peer.sockets === 0)
      })
      test('When it is disposed with calls under way, then they fail as unknown, and later ones fail', async () => {
        await using peer = await transport.start()
        peer.play(transport.inactivity)
        const instance = create(peer.address)
        const failed = [1, 2].map((id) => failure(contract.act(instance.ports, attempt({ key: `A:${id}:f:p` }))))
        await peer.until(() => peer.calls.length === 2)
        await instance[Symbol.asyncDispose]()
        expect((await Promise.all(failed)).map(outcomeOf)).toEqual(['unknown', 'unknown'])
        expect(outcomeOf(await failure(contract.act(instance.ports, attempt())))).toBe('destination')
        await peer.until(() => peer.sockets === 0)
      })
    })

    vitestTest('Every skip names a test and gives a reason', () => {
      for (const { reason, tests } of skip) {
        expect(reason).toMatch(/\w+ \w+/)
        expect([...names]).toEqual(expect.arrayContaining(tests))
      }
    })
  })
}

/** An attempt, the first of its delivery if not told otherwise. */
export function attempt(given: Partial<Attempt> = {}): Attempt {
  return {
    key: 'SaleCreated:1:f:p',
    previous: 'none',
    firstTriedAt: null,
    signal: new AbortController().signal,
    links: async () => [],
    ...given,
  }
}

function outcomeOf(error: Error): Expected | Error {
  if (error instanceof PermanentError) return 'permanent'
  if (error instanceof RetryLaterError) return error.scope
  return error instanceof UnknownOutcomeError ? 'unknown' : error
}

/** What is wrong with options, each as `key: message`. */
function faults(adapter: Adapter, options: unknown): string[] {
  const issues = adapter.options.safeParse(options).error?.issues ?? []
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

function expectNotBefore(error: Error, expected: { in: number } | { at: number }): void {
  const found = error instanceof RetryLaterError ? error.notBefore : null
  if ('at' in expected) expect(found).toBe(expected.at)
  else expect(Math.abs((found ?? 0) - Date.now() - expected.in * 1000)).toBeLessThan(2_000)
}

/** Everything of an error that may reach a log, a screen or a file. */
function expectNoSecrets(error: Error, secrets: string[]): void {
  const shown = [inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }), JSON.stringify(error)]
  for (let link: unknown = error; link instanceof Error; link = link.cause) {
    shown.push(link.message, link.stack ?? '', JSON.stringify(link, Object.getOwnPropertyNames(link)))
  }
  for (const secret of secrets) expect(shown.join('\n')).not.toContain(secret)
}
