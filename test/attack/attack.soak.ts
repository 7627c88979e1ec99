import { describe, expect, test } from 'vitest'
import { bombs, largeBodies } from './bombs.ts'
import { costlyJson, silentCrowd, withCredential } from './credentials.ts'
import { startAttackedHub } from './hub.ts'
import { idleCrowds, mixedCrowd } from './idle-crowds.ts'
import { intakeFloods } from './intake-floods.ts'
import { largeShapes, largestShapes } from './large-shapes.ts'
import { limitMemory } from './memory-limit.ts'
import { requestFloods } from './request-floods.ts'
import { type Attack, besiege, byName } from './siege.ts'
import { stallingPayloads } from './stalling-payloads.ts'
import { besideOthers, expectUnshaken } from './unshaken.ts'

const LENGTH = 5_000
const MEMORY = 512 * 1024 * 1024

/** Without any attack the same is measured: what is late then is the machine's. */
const none: Attack = { name: 'nobody attacks', run: async () => null }

const ATTACKS = [
  none,
  ...intakeFloods,
  ...stallingPayloads,
  ...bombs,
  ...largeBodies,
  ...idleCrowds,
  mixedCrowd,
  ...largeShapes,
  ...largestShapes,
  ...requestFloods,
  silentCrowd,
  ...withCredential,
  ...costlyJson,
]

const isLimited = limitMemory(MEMORY)
await isLimited?.[Symbol.asyncDispose]()
const judge = isLimited ? 'under a limit of 512 MB' : 'judged by its record, as there is no limit to set here'

describe(`under attack, whole; memory ${judge}`, () => {
  test.each(byName(ATTACKS))('when %s, then honest webhooks are neither lost nor late', async (_, attack) => {
    await using limit = limitMemory(MEMORY)
    await using hub = await startAttackedHub(limit?.command)
    const outcome = await besiege(hub, attack, LENGTH, 1)
    process.stdout.write(`${attack.name}: ${JSON.stringify(outcome)}\n`)
    expect(limit?.kills() ?? 0, 'kills').toBe(0)
    // Attackers take processors, too, where they are not on machines of their own.
    expectUnshaken(outcome, besideOthers(outcome))
  })
})
