import { afterEach, describe, expect, test } from 'vitest'
import { createOutage } from '../../src/app/infrastructure.ts'
import { StorageUnavailableError } from '../../src/domain/values/errors.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'

const PLENTY = 1_000_000_000

const opened: Disposable[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one[Symbol.dispose]()
})

/** A store that takes all, or says why it does not. */
function given() {
  const clock = createTestClock()
  const state = {
    problem: null as string | null,
    fault: null as Error | null,
    free: PLENTY as number | null,
    largest: Infinity,
    checks: 0,
    overs: 0,
    asked: 0,
  }
  const lines: { msg: string; ms?: number }[] = []
  const refuse = () => {
    if (state.fault) throw state.fault
    if (state.problem !== null) throw new StorageUnavailableError(state.problem)
  }
  const outage = createOutage({
    storage: {
      async accept() {
        refuse()
        return []
      },
      async check(size = 0) {
        state.checks++
        refuse()
        if (size > state.largest) throw new StorageUnavailableError('that is too large')
      },
    },
    guard: { seen: { level: 'room', gone: null }, lookNow: async () => {} },
    free: async () => {
      state.asked++
      return state.free
    },
    over: () => void state.overs++,
    clock,
    logger: createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) }),
  })
  opened.push(outage)
  return { clock, state, lines, outage }
}

describe('When the store refuses what comes', () => {
  test('then it is down since the first refusal, whatever it says at later ones', async () => {
    const { clock, state, outage } = given()
    state.problem = 'the disk is full'
    await clock.active(async () => {
      const at = clock.now()
      await expect(outage.accept([])).rejects.toThrow('full')
      clock.advance(3_000)
      state.problem = 'the file is locked'
      await expect(outage.accept([])).rejects.toThrow('locked')

      expect(await outage.look()).toEqual({ problem: 'the file is locked', since: at })
    })
  })

  test('then a look that ends otherwise than foreseen ends no hub, and its end is noticed all the same', async () => {
    const { clock, state, lines, outage } = given()
    state.problem = 'the server is away'
    await expect(outage.accept([])).rejects.toThrow('away')
    state.fault = new Error('there is no such table')
    clock.advance(5_000)
    await eventually(() => expect(lines.map(({ msg }) => msg)).toContain('store.not-looked-at'))

    Object.assign(state, { problem: null, fault: null })
    await eventually(() => {
      clock.advance(5_000)
      expect(state.overs).toBe(1)
    })
  })

  test('then its end is noticed although nothing more comes, and said once', async () => {
    const { clock, state, lines, outage } = given()
    state.problem = 'the disk is full'
    await expect(outage.accept([])).rejects.toThrow()
    // Still full at the first look: there is another.
    clock.advance(5_000)
    await eventually(() => state.checks === 1)
    await new Promise(setImmediate)
    state.problem = null
    clock.advance(5_000)
    await eventually(() => state.overs === 1)

    expect(await outage.look()).toEqual({ problem: null, since: null })
    await outage.accept([])
    expect(state.overs).toBe(1)
    expect(lines.map(({ msg }) => msg)).toEqual(['store.takes-again'])
    expect(lines[0]?.ms).toBeGreaterThanOrEqual(10_000)
    // Nobody looks any more.
    const { checks } = state
    clock.advance(60_000)
    await new Promise(setImmediate)
    expect(state.checks).toBe(checks)
  })

  test('then a small write is no end of it while the next large one has no room', async () => {
    const { clock, state, outage } = given()
    state.problem = 'the disk is full'
    await expect(outage.accept([])).rejects.toThrow()
    Object.assign(state, { problem: null, free: 128 * 1024 - 1 })

    expect(await outage.look()).toMatchObject({ problem: 'the disk is full', since: expect.any(Number) })
    expect(state.overs).toBe(0)
    state.free = 128 * 1024
    clock.advance(5_000)
    await eventually(() => state.overs === 1)
  })

  test('then where nobody knows the room, a write is its end', async () => {
    const { state, outage } = given()
    state.problem = 'the server is gone'
    await expect(outage.accept([])).rejects.toThrow()
    Object.assign(state, { problem: null, free: null })

    expect(await outage.look()).toEqual({ problem: null, since: null })
  })
})

test('When the store takes all, then nobody looks, for room neither, and nothing is said', async () => {
  const { clock, state, lines, outage } = given()
  state.free = 0
  expect(await outage.accept([])).toEqual([])

  expect(await outage.look()).toEqual({ problem: null, since: null })
  expect([state.overs, state.asked, lines]).toEqual([0, 0, []])
  clock.advance(60_000)
  await new Promise(setImmediate)
  expect(state.checks).toBe(1)
})

test('When only the look finds that it cannot write, then that is said, and it is not down since any time', async () => {
  const { clock, state, outage } = given()
  state.problem = 'the file is locked'

  expect(await outage.look()).toEqual({ problem: 'the file is locked', since: null })
  clock.advance(60_000)
  await new Promise(setImmediate)
  expect(state.checks).toBe(1)
})

test('When what comes is at fault itself, then the store is not down by it', async () => {
  const { clock, state, outage } = given()
  state.fault = new RangeError('too deep')
  await expect(outage.accept([])).rejects.toThrow('too deep')
  await expect(outage.look()).rejects.toThrow('too deep')
  state.fault = null

  expect(await outage.look()).toEqual({ problem: null, since: null })
  clock.advance(60_000)
  await new Promise(setImmediate)
  expect([state.checks, state.overs]).toEqual([2, 0])
})

test('When it refuses again and again, then it is looked for its end once at a time, five seconds after the look before', async () => {
  const { clock, state, outage } = given()
  state.problem = 'the disk is full'
  for (let n = 0; n < 3; n++) await expect(outage.accept([])).rejects.toThrow()
  await outage.look()
  await outage.look()
  expect(state.checks).toBe(2)
  clock.advance(5_000)
  await new Promise(setImmediate)
  expect(state.checks).toBe(3)
})
