import { SCOPES } from '../../../src/domain/scope.ts'
import type { AttackedHub } from '../hub.ts'
import { conversationOf, converse } from './conversation.ts'
import { createDice, type Dice } from './dice.ts'
import { type Fuzzed, frame } from './framing.ts'
import type { Known } from './known.ts'
import { lie } from './lies.ts'
import { createPromises, type Promises } from './promises.ts'
import { targetOf } from './targets.ts'

/** Connections at a time. */
const TOGETHER = 32

export interface Fuzzing {
  sent: number
  promises: Promises
}

/** Sends so many requests that a seed makes, right ones and wrong ones. Rejects when the hub does not listen any more. */
export async function fuzz(hub: AttackedHub, count: number, seed: number): Promise<Fuzzing> {
  const dice = createDice(seed)
  const promises = createPromises()
  const { WEBHOOK_TOKEN, ADMIN_TOKEN, POS_TOKEN, BUS_SECRET } = hub.secrets
  const known: Known = {
    webhookToken: WEBHOOK_TOKEN,
    adminToken: ADMIN_TOKEN,
    posToken: POS_TOKEN,
    intakeSecret: BUS_SECRET,
    apiKey: await hub.createKey('oms', [...SCOPES]),
  }
  let sent = 0
  await Promise.all(Array.from({ length: TOGETHER }, talkOn))
  return { sent, promises }

  async function talkOn(): Promise<void> {
    while (sent < count) {
      const length = dice.oneIn(3) ? 2 + dice.upTo(19) : 1
      const lies = dice.oneIn(2)
      const requests = Array.from({ length }, () => requestOf(dice, known, lies))
      sent += requests.length
      const conversation = conversationOf(dice, requests)
      promises.note(conversation, await converse(hub.port, conversation))
    }
  }
}

/** Behind a lie nothing is a request any more: so not everybody lies. */
function requestOf(dice: Dice, known: Known, lies: boolean): Fuzzed {
  const right = frame(dice, targetOf(dice, known))
  return lies && dice.oneIn(2) ? lie(dice, right) : right
}
