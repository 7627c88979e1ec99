import { UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import type { Attempt, Effect, PublishPort } from '../../../src/ports/ports.ts'

/**
 * What the shop makes of a call: it does it (`done`), does it and its answer is lost (`lost`), neither does nor answers
 * (`nothing`), does it and never answers, deaf to being told to stop (`deaf`).
 */
type Turn = 'done' | 'lost' | 'nothing' | 'deaf' | (() => Promise<Effect>)

/** A system of the shop's own, with effects that must not happen twice. */
export function createShop() {
  const calls: Pick<Attempt, 'key' | 'previous' | 'firstTriedAt'>[] = []
  const effects: string[] = []
  const shop = {
    calls,
    effects,
    /** How often it was asked whether an effect is there. */
    finds: 0,
    /** What it makes of the calls to come, one after the other; `done` when there is none left. */
    turns: [] as Turn[],
    blind: 0,
    port: { publish } as PublishPort,
    findable: { publish, find } as PublishPort,
  }

  async function publish(_: unknown, { key, previous, firstTriedAt, signal }: Attempt): Promise<Effect> {
    calls.push({ key, previous, firstTriedAt })
    const turn = shop.turns.shift() ?? 'done'
    if (typeof turn === 'function') return await turn()
    if (turn !== 'nothing') effects.push(key)
    if (turn === 'deaf') await new Promise(() => signal.addEventListener('abort', () => {}))
    if (turn !== 'done') throw new UnknownOutcomeError('no answer')
    return { note: 'made' }
  }

  async function find({ key }: Attempt): Promise<Effect | null> {
    shop.finds += 1
    shop.blind -= 1
    if (shop.blind >= 0) throw new Error('the search is out of order')
    return effects.includes(key) ? { note: 'order 99' } : null
  }

  return shop
}
