import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { chance } from '../../chance.ts'
import { eventually } from '../../eventually.ts'
import { startCuttingProxy } from '../postgres/cutting-proxy.ts'
import { NO_POOLER, startOwnPooler } from '../postgres/own-pooler.ts'
import { NO_SERVER, SERVER } from '../postgres/schema.ts'
import { createPlaces } from '../postgres/under-test.ts'
import type { StoreUnderTest } from '../under-test.ts'
import { play } from './play.ts'

/** A way to the server on which answers are lost. */
interface BreakingWay extends AsyncDisposable {
  through(url: string): string
  /** Called before a storage is asked: the way may break now, or soon. */
  mayBreak(random: () => number): void
}

/** The answer to a commit, or to any other message, is lost; the message may have arrived. */
async function cutWay(): Promise<BreakingWay> {
  const proxy = await startCuttingProxy(SERVER ?? '')
  return {
    through: proxy.through,
    mayBreak(random) {
      const arrives = random() < 0.7
      const where = random()
      if (where < 0.3) proxy.cutAtCommit(arrives)
      else if (where < 0.5) proxy.cutAt(1 + Math.floor(random() * 6), arrives)
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}

async function restartedPooler(): Promise<BreakingWay> {
  const pooler = await startOwnPooler()
  let restarting: Promise<void> | null = null
  return {
    through: pooler.through,
    mayBreak(random) {
      if (random() > 0.1 || restarting !== null) return
      restarting = pooler.restart().finally(() => {
        restarting = null
      })
    },
    async [Symbol.asyncDispose]() {
      await restarting
      await pooler[Symbol.asyncDispose]()
    },
  }
}

const WAYS: [string, string | null, () => Promise<BreakingWay>][] = [
  ['answers are lost on the way to PostgreSQL', SERVER === undefined ? NO_SERVER : null, cutWay],
  ['PgBouncer is started anew', NO_POOLER, restartedPooler],
]

/** Plays with two storages for each seed, one of them behind a way that breaks; whatever was not answered is asked again. */
export function playOnBreakingWays(seeds: readonly number[], acts: number): void {
  describe.each(WAYS)('where %s', { timeout: 300_000 }, (_, not, open) => {
    const opened = new AsyncDisposableStack()
    let way: BreakingWay
    let whole: ReturnType<typeof createPlaces>
    let cut: ReturnType<typeof createPlaces>
    beforeAll(async () => {
      if (not !== null) return
      way = opened.use(await open())
      whole = opened.use(createPlaces())
      cut = opened.use(createPlaces(way.through))
    })
    afterAll(() => opened.disposeAsync())

    test.skipIf(not !== null).each(seeds)(
      `a storage that is asked again what was not answered (%d) is as if each had been answered${not ? ` (${not})` : ''}`,
      async (seed) => {
        await using one = await whole.open({})
        await using other = await cut.open({})
        const random = chance(seed + 1_000)
        let refused = 0
        const asked = { begins: () => way.mayBreak(random), refused: () => void refused++ }
        await play([one, askedAgain(other, asked)], seed, acts)
        expect(refused).toBeGreaterThan(0)
      },
    )
  })
}

/** Told when a storage is asked something, and when it cannot answer now. */
interface Asked {
  begins(): void
  refused(): void
}

/** Answered at once, and never refused. */
const AT_ONCE = new Set<string | symbol>(['now', 'onWork', 'onStores', Symbol.asyncDispose])

/** A storage that is asked everything again until it can answer, as all callers do. */
function askedAgain(the: StoreUnderTest, { begins, refused }: Asked): StoreUnderTest {
  const asking = (storage: Storage): Storage =>
    new Proxy(storage, {
      get(target, name, receiver) {
        const method: unknown = Reflect.get(target, name, receiver)
        if (typeof method !== 'function' || AT_ONCE.has(name)) return method
        return async (...given: unknown[]) => {
          begins()
          const reported = await eventually(async () => {
            try {
              return { answer: await method.apply(target, given) }
            } catch (error) {
              if (!(error instanceof StorageUnavailableError)) return { error }
              refused()
              throw error
            }
          })
          if ('error' in reported) throw reported.error
          return reported.answer
        }
      },
    })
  return {
    ...the,
    get storage() {
      return asking(the.storage)
    },
    reopen: async () => asking(await the.reopen()),
    [Symbol.asyncDispose]: () => the[Symbol.asyncDispose](),
  }
}
