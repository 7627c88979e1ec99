import { pathText } from '../config/reading/path.ts'
import type { Misfit } from '../domain/queue/misfit.ts'
import { saleStoreMisfits } from '../receiver/submissions/sale-stores.ts'
import type { Base } from './base.ts'
import { doubtsOf } from './doubts.ts'
import { keptLists } from './lists.ts'
import type { Setup } from './setup.ts'

/** Says in the log what is most likely wrong in the config that counts, and again when the platform's stores are known anew. */
export function createDoubtLog({ stores, store, logger }: Pick<Base, 'stores' | 'store' | 'logger'>) {
  let current: Setup | null = null
  let said = new Set<string>()
  let known: readonly Misfit[] = []

  async function look(): Promise<void> {
    if (current === null) return
    const { config, systems } = current
    const { stores: listed } = stores.directory()
    const lists = await keptLists(config, listed, store)
    const doubts = [...saleStoreMisfits(config.platform.saleStores, listed), ...doubtsOf(config, systems, lists)]
    known = doubts
    const news = doubts.filter((doubt) => !said.has(keyOf(doubt)))
    said = new Set(doubts.map(keyOf))
    for (const { path, found, expected } of news)
      logger.warn({ key: pathText(path), ...(found !== undefined && { found }), expected }, 'config.doubtful')
  }

  function lookSoon(): void {
    look().catch((err: unknown) => logger.warn({ err }, 'config.doubts-not-looked-for'))
  }

  stores.onLearned(lookSoon)

  return {
    /** As they were found last. */
    all: (): readonly Misfit[] => known,

    /** This setup's config counts from now on. */
    follow(setup: Setup): void {
      current = setup
      said = new Set()
      lookSoon()
    },
  }
}

function keyOf({ path, expected }: Misfit): string {
  return `${path.join('.')} ${expected}`
}
