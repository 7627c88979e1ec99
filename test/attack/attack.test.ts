import { afterAll, describe, onTestFailed, test } from 'vitest'
import { bombs, largeBodies } from './bombs.ts'
import { costlyJson, withCredential } from './credentials.ts'
import { type AttackedHub, startAttackedHub } from './hub.ts'
import { mixedCrowd } from './idle-crowds.ts'
import { intakeFloods } from './intake-floods.ts'
import { largeShapes } from './large-shapes.ts'
import { requestFloods } from './request-floods.ts'
import { besiege, byName, together } from './siege.ts'
import { stallingPayloads } from './stalling-payloads.ts'
import { besideOthers, expectUnshaken } from './unshaken.ts'

/*
 * Every attack for a moment, those of a sort at once: `npm run test:attack` has each alone, whole, and for longer.
 */

const LENGTH = 1_000
const SCALE = 0.25

const SORTS = [
  together('strangers hold intake requests open', intakeFloods),
  together('payloads cost the square of their length', stallingPayloads),
  together('small bodies become large ones, and large ones come', [...bombs, ...largeBodies]),
  mixedCrowd,
  together('bodies become many values', largeShapes),
  together('requests come without end', requestFloods),
  together('senders with a credential do all that they may', withCredential),
  together('every interface that takes a body gets costly JSON', costlyJson),
]

describe('under attack', { timeout: 60_000 }, () => {
  let hub: AttackedHub | null = null
  afterAll(() => hub?.[Symbol.asyncDispose]())

  // One that was shaken is no verifier of what comes next.
  async function leave(): Promise<void> {
    await hub?.[Symbol.asyncDispose]()
    hub = null
  }

  test.each(byName(SORTS))('when %s, then honest webhooks are neither lost nor late', async (_, attack) => {
    onTestFailed(leave)
    hub ??= await startAttackedHub()
    const outcome = await besiege(hub, attack, LENGTH, SCALE)
    expectUnshaken(outcome, besideOthers(outcome))
  })
})
