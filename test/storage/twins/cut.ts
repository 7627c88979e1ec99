import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { chance } from '../../chance.ts'
import { eventually } from '../../eventually.ts'
import { startCuttingProxy } from '../postgres/cutting-proxy.ts'
import { startOwnPooler } from '../postgres/own-pooler.ts'
import { SERVER } from '../postgres/schema.ts'
import { createPlaces } from '../postgres/under-test.ts'
import type { StoreUnderTest } from '../under-test.ts'
import { type Play, playTwins } from './play.ts'

export interface BreakingWay extends AsyncDisposable {
  through(url: string): string
  /** Called before a question of a store is asked: it may break now, or soon. */
  mayBreak(random: () => number): void
}

/** The answer to a commit, or to anything else that is said, is lost; what was said may have arrived. */
export async function cutWay(): Promise<BreakingWay> {
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

/** A pooler that is started anew while stores work through it. */
export async function restartedPooler(): Promise<BreakingWay> {
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

/** Plays with two stores on a server, each empty, of which one has a way that breaks. */
export async function openCutTwins(breaking: BreakingWay) {
  await using opened = new AsyncDisposableStack()
  const way = opened.use(breaking)
  const whole = opened.use(createPlaces())
  const cut = opened.use(createPlaces(way.through))
  const kept = opened.move()
  return {
    /** How often the store said that it could not be used. */
    async play(what: Play, seed: number, acts: number): Promise<number> {
      await using one = await whole.open({})
      await using other = await cut.open({})
      const random = chance(seed + 1_000)
      let refused = 0
      const asked = {
        begins: () => way.mayBreak(random),
        refused: () => {
          refused += 1
        },
      }
      await playTwins(what, [one, asker(other, asked)], seed, acts)
      return refused
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Told when a store is asked something, and when it cannot answer now. */
interface Asked {
  begins(): void
  refused(): void
}

/** What is told at once, and cannot be refused. */
const BATCH_SIZE = new Set<string | symbol>(['now', 'onWork', 'onStores', Symbol.asyncDispose])

/** A store of whom everything is asked again until it can answer, as all do who need it. */
function asker(the: StoreUnderTest, { begins, refused }: Asked): StoreUnderTest {
  const asking = (storage: Storage): Storage =>
    new Proxy(storage, {
      get(target, name, receiver) {
        const method: unknown = Reflect.get(target, name, receiver)
        if (typeof method !== 'function' || BATCH_SIZE.has(name)) return method
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
