import { pathText } from '../../config/reading/path.ts'
import type { Doubt } from '../../domain/health/health.ts'
import type { Misfit } from '../../domain/queue/misfit.ts'
import { saleStoreMisfits } from '../../receiver/submissions/sale-stores.ts'
import type { Base } from '../base.ts'
import { keptLists } from '../lists.ts'
import type { Setup } from '../setup.ts'
import { doubtsOf } from './doubts.ts'

/** Says in the log what is most likely wrong in the config that counts, and again when the platform's stores are known anew. */
export function createDoubtLog({ stores, store, logger }: Pick<Base, 'stores' | 'store' | 'logger'>) {
  let current: Setup | null = null
  /** As they were found last, and in which setup: a new one has its own said once more. */
  let known: { of: Setup | null; doubts: readonly Doubt[] } = { of: null, doubts: [] }

  async function look(): Promise<void> {
    if (current === null) return
    const setup = current
    const { config, systems } = setup
    const { stores: listed } = stores.index()
    const lists = await keptLists(config, listed, store)
    const misfits = [...saleStoreMisfits(config.platform.saleStores, listed), ...doubtsOf(config, systems, lists)]
    // Another config counts by now; it is looked at by itself.
    if (setup !== current) return
    const doubts = misfits.map(doubtOf)
    const said = known.of === setup ? known.doubts : []
    known = { of: setup, doubts }
    for (const doubt of doubts)
      if (!said.some((one) => isSame(one, doubt))) logger.warn({ ...doubt }, 'config.doubtful')
  }

  function lookSoon(): void {
    look().catch((err: unknown) => logger.warn({ err }, 'config.doubts-not-looked-for'))
  }

  stores.onLearned(lookSoon)

  return {
    /** As they were found last. */
    all: (): readonly Doubt[] => known.doubts,

    /** The config of this setup counts from now on. */
    follow(setup: Setup): void {
      current = setup
      lookSoon()
    },
  }
}

function doubtOf({ path, found, expected }: Misfit): Doubt {
  return { key: pathText(path), ...(found !== undefined && { found }), expected }
}

function isSame(one: Doubt, other: Doubt): boolean {
  return one.key === other.key && one.expected === other.expected
}
